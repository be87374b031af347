# SPDX-License-Identifier: BSD-3-Clause
# A template: make fills it in. find_package(gshmem 0.1) accepts 0.1 and later versions with the same major
# and minor number: before 1.0 a new minor number may break programs.
set(PACKAGE_VERSION "@VERSION@")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _gshmem_minor "${PACKAGE_VERSION}")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  if("${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}" STREQUAL _gshmem_minor
      OR (PACKAGE_FIND_VERSION_COUNT EQUAL 1 AND _gshmem_minor MATCHES "^${PACKAGE_FIND_VERSION_MAJOR}\\.")
      OR NOT PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
unset(_gshmem_minor)
