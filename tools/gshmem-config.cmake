# SPDX-License-Identifier: BSD-3-Clause
#
# find_package(gshmem) - gshmem for CMake 3.21 and newer. This is a template: make fills it in for the build,
# and `make install` for the installed tree.
#
#   find_package(gshmem REQUIRED)
#   add_executable(ring main.c ring.hip)
#   gshmem_kernels(ring)
#   target_link_libraries(ring PRIVATE gshmem::gshmem)
#
# gshmem::gshmem   the library, its headers and definitions; MPI's and the platform's libraries
# gshmem::shmem    OpenSHMEM's names: shmem.h and libgshmem_shmem, with gshmem::gshmem
# GSHMEM_PLATFORM  amd, nvidia or cpu: what the library was built for
#
# gshmem_kernels(TARGET [SOURCE...]) says which sources of a target hold kernels: by default its .hip and .cu
# files. They are compiled as HIP on amd, as CUDA on nvidia, and on the cpu platform as C++ with the flags
# that kernels need there. On amd, sources whose LANGUAGE is already HIP do not need this call.
#
# With -DGSHMEM_RACES=ON the project is built for the CPU and names races between PEs, as gshmemcc --races does:
# all of it, because a process has one libgshmem.
#
# find_package enables that language, so call it outside of functions. On amd, if the project has not enabled
# HIP and its C++ compiler is clang or hipcc, that compiler compiles the kernels, because Debian's HIP has no
# CMake package for the language.

if(CMAKE_VERSION VERSION_LESS 3.21)
  set(gshmem_FOUND FALSE)
  set(gshmem_NOT_FOUND_MESSAGE "gshmem needs CMake 3.21 or newer; this is CMake ${CMAKE_VERSION}")
  return()
endif()
# The library that watches for races has a file like this of its own.
if(GSHMEM_RACES AND NOT "@SAN@" MATCHES "HIPCPU_RACES")
  get_filename_component(_gshmem_races "@RACES@" DIRECTORY)
  foreach(_gshmem_path "${_gshmem_races}/cmake" "${_gshmem_races}/../lib/cmake/gshmem")
    if(EXISTS "${_gshmem_path}/gshmem-config.cmake")
      include("${_gshmem_path}/gshmem-config.cmake")
      return()
    endif()
  endforeach()
  set(gshmem_FOUND FALSE)
  set(gshmem_NOT_FOUND_MESSAGE
    "GSHMEM_RACES: the library for it is not there: make races, in gshmem's sources, builds it")
  return()
endif()
# This file's policies are its own: a project that asks for an older CMake, or for none, has others.
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

set(GSHMEM_PLATFORM "@PLATFORM@")
set(_gshmem_archs "@GPU_ARCHS@")
set(_gshmem_options "@HIPFLAGS@")
get_property(_gshmem_languages GLOBAL PROPERTY ENABLED_LANGUAGES)

# The language of kernels, and its options.
if(GSHMEM_PLATFORM STREQUAL "cpu")
  if(NOT "CXX" IN_LIST _gshmem_languages)
    enable_language(CXX)
  endif()
  set(_gshmem_language CXX)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(_gshmem_options "@HIPFLAGS_CLANG@")
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(_gshmem_options "@HIPFLAGS_GCC@")
  endif()
elseif(GSHMEM_PLATFORM STREQUAL "nvidia")
  set(_gshmem_language CUDA)
  if(NOT "CUDA" IN_LIST _gshmem_languages)
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      set(CMAKE_CUDA_COMPILER "@HIPCC@")
    endif()
    if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      string(REPLACE "sm_" "" CMAKE_CUDA_ARCHITECTURES "${_gshmem_archs}")
      string(REPLACE " " ";" CMAKE_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
    endif()
    enable_language(CUDA)
  endif()
  set(_gshmem_options "-forward-unknown-to-host-compiler")
else()
  if("HIP" IN_LIST _gshmem_languages OR NOT "CXX" IN_LIST _gshmem_languages
      OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(_gshmem_language HIP)
    if(NOT "HIP" IN_LIST _gshmem_languages)
      if(NOT CMAKE_HIP_ARCHITECTURES)
        string(REPLACE " " ";" CMAKE_HIP_ARCHITECTURES "${_gshmem_archs}")
      endif()
      enable_language(HIP)
    endif()
    string(REGEX REPLACE "(^| )(-x hip|--offload-arch=[^ ]*)" "" _gshmem_options "${_gshmem_options}")
  else()
    set(_gshmem_language CXX)
  endif()
endif()
# The target chooses the C++ standard, 17 or newer: see gshmem_kernels.
string(REGEX REPLACE "(^| )-std=[^ ]*" "" _gshmem_options "${_gshmem_options}")
string(STRIP "${_gshmem_options}" _gshmem_options)
set_property(GLOBAL PROPERTY _GSHMEM_LANGUAGE "${_gshmem_language}")
set_property(GLOBAL PROPERTY _GSHMEM_OPTIONS "${_gshmem_options}")

function(gshmem_kernels target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "gshmem_kernels(${target}): there is no target ${target}")
  endif()
  get_property(language GLOBAL PROPERTY _GSHMEM_LANGUAGE)
  get_property(options GLOBAL PROPERTY _GSHMEM_OPTIONS)
  separate_arguments(options)
  set(sources ${ARGN})
  set(base ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT sources)
    get_target_property(sources ${target} SOURCES)
    get_target_property(base ${target} SOURCE_DIR)
    list(FILTER sources INCLUDE REGEX "\\.(hip|cu)$")
  endif()
  if(NOT sources)
    message(FATAL_ERROR
      "gshmem_kernels(${target}): the target has no .hip or .cu file: name the sources that hold kernels")
  endif()
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${base})
    set_property(SOURCE ${path} TARGET_DIRECTORY ${target} PROPERTY LANGUAGE ${language})
    # In HIP and CUDA the options come with gshmem::gshmem, below.
    if(language STREQUAL "CXX")
      set_property(SOURCE ${path} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${options})
    endif()
  endforeach()
  if(language STREQUAL "CUDA")
    target_compile_features(${target} PRIVATE cuda_std_17)
    # The library and the program must have one CUDA runtime.
    set_property(TARGET ${target} PROPERTY CUDA_RUNTIME_LIBRARY Shared)
  elseif(language STREQUAL "HIP")
    target_compile_features(${target} PRIVATE hip_std_17)
  else()
    target_compile_features(${target} PRIVATE cxx_std_17)
  endif()
endfunction()

if(NOT TARGET gshmem::gshmem)
  add_library(gshmem::gshmem SHARED IMPORTED)
  add_library(gshmem::shmem SHARED IMPORTED)
  set_target_properties(gshmem::gshmem PROPERTIES
    IMPORTED_LOCATION "@LIBDIR@/@SONAME@" IMPORTED_SONAME "@SONAME@")
  set_target_properties(gshmem::shmem PROPERTIES
    IMPORTED_LOCATION "@LIBDIR@/@SHMEM_SONAME@" IMPORTED_SONAME "@SHMEM_SONAME@"
    INTERFACE_LINK_LIBRARIES gshmem::gshmem)

  # _gshmem_flags(TARGET FLAG...): turns -I, -isystem and -D into properties of the target.
  function(_gshmem_flags target)
    set(next "")
    foreach(flag ${ARGN})
      if(flag STREQUAL "-isystem" OR flag STREQUAL "-I")
        set(next directory)
      elseif(next OR flag MATCHES "^-I")
        string(REGEX REPLACE "^-I" "" flag "${flag}")
        set_property(TARGET ${target} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${flag}")
        set(next "")
      elseif(flag MATCHES "^-D(.*)")
        set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS "${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endfunction()

  set(_gshmem_list "@CPPFLAGS@")
  separate_arguments(_gshmem_list)
  _gshmem_flags(gshmem::gshmem ${_gshmem_list})
  set(_gshmem_list "@SHMEMFLAGS@")
  separate_arguments(_gshmem_list)
  _gshmem_flags(gshmem::shmem ${_gshmem_list})
  set(_gshmem_list "@LIBS@")
  separate_arguments(_gshmem_list)
  set_property(TARGET gshmem::gshmem APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_gshmem_list})
  if(NOT _gshmem_language STREQUAL "CXX" AND _gshmem_options)
    set_property(TARGET gshmem::gshmem APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
      "$<$<COMPILE_LANGUAGE:${_gshmem_language}>:SHELL:${_gshmem_options}>")
  endif()
  # What watches for races watches C and C++, and is called in place of other functions.
  set(_gshmem_list "@SAN@")
  if(_gshmem_list MATCHES "HIPCPU_RACES")
    separate_arguments(_gshmem_list)
    list(REMOVE_ITEM _gshmem_list -Wno-tsan)
    set_property(TARGET gshmem::gshmem APPEND PROPERTY INTERFACE_COMPILE_OPTIONS ${_gshmem_list})
    set(_gshmem_list "@LDSAN@")
    separate_arguments(_gshmem_list)
    set_property(TARGET gshmem::gshmem APPEND PROPERTY INTERFACE_LINK_OPTIONS ${_gshmem_list})
  endif()
  unset(_gshmem_list)
endif()

unset(_gshmem_archs)
unset(_gshmem_options)
unset(_gshmem_language)
unset(_gshmem_languages)
cmake_policy(POP)
