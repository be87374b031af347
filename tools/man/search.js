/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search of the web manual: it looks the words of a query up in index.js, which tools/man/html writes.
 * While the reader types, the best hits are listed below the field; search.html lists all of them.
 */
"use strict";

const root = document.body.dataset.root;
const field = document.querySelector('input[name="q"]');
const hits = document.getElementById("hits");

/* How well a word fits a text: 0, not at all. */
function fit(word, text)
{
	const at = text.indexOf(word);

	if (at < 0)
		return 0;
	if (text.length === word.length)
		return 100;
	return (at === 0 ? 50 : /[a-z0-9]/.test(text[at - 1]) ? 20 : 35) + 20 * word.length / text.length;
}

/* How well all the words fit a text: 0, not all of them do. */
function fit_all(words, text)
{
	const fits = words.map(word => fit(word, text));

	return fits.includes(0) ? 0 : fits.reduce((a, b) => a + b);
}

/* How well the words fit a name, with its prefix or without. */
function fit_name(words, name)
{
	return Math.max(fit_all(words, name), fit_all(words, name.replace(/^gshmemx?_/, "")));
}

/* The hit of an entry, or null: one of its names has all the words, or its title and summary have together. */
function judge(entry, words)
{
	const [url, title, kind, summary, names] = entry;
	let best = title, score = fit_name(words, title.toLowerCase());

	for (const name of names ? names.split(" ") : []) {
		const of_name = fit_name(words, name.toLowerCase());
		if (of_name > score) {
			score = of_name;
			best = name;
		}
	}
	if (!score && words.every(word => (title + " " + summary).toLowerCase().includes(word)))
		score = 5;
	if (!score)
		return null;
	return { url, title: best, page: best === title ? kind : title, summary,
		score: score + (kind === "call" || kind === "variable" ? 10 : kind === "page" ? 2 : 0) };
}

function find(query)
{
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);

	if (!words.length)
		return [];
	return manual.map(entry => judge(entry, words)).filter(Boolean)
		.sort((a, b) => b.score - a.score || a.title.length - b.title.length);
}

function item(hit)
{
	const line = document.createElement("li"), link = document.createElement("a");

	link.href = root + hit.url;
	for (const [name, text] of [["b", hit.title], ["i", hit.page], ["span", hit.summary]]) {
		const part = document.createElement(name);
		part.textContent = text;
		link.append(part, " ");
	}
	line.append(link);
	return line;
}

function show_hits()
{
	hits.replaceChildren(...find(field.value).slice(0, 12).map(item));
	hits.hidden = !hits.children.length;
}

/* search.html?q=WORDS */
function show_all(query)
{
	const all = find(query);

	field.value = query;
	document.getElementById("count").textContent = query && `${all.length === 1 ? "1 hit" : `${all.length} hits`}
		for \u201c${query}\u201d${all.length > 100 ? "; the best 100:" : ""}`;
	document.getElementById("found").replaceChildren(...all.slice(0, 100).map(item));
}

field.addEventListener("input", show_hits);
field.addEventListener("keydown", event => {
	if (event.key === "ArrowDown" && !hits.hidden) {
		hits.querySelector("a").focus();
		event.preventDefault();
	}
});
hits.addEventListener("keydown", event => {
	const line = event.target.closest("li");
	const next = event.key === "ArrowDown" ? line.nextElementSibling : line.previousElementSibling;

	if (event.key === "ArrowDown" || event.key === "ArrowUp") {
		(next ? next.firstChild : field).focus();
		event.preventDefault();
	}
});
document.addEventListener("keydown", event => {
	if (event.key === "/" && document.activeElement !== field) {
		field.focus();
		event.preventDefault();
	} else if (event.key === "Escape") {
		hits.hidden = true;
	}
});
document.addEventListener("click", event => {
	if (!hits.contains(event.target) && event.target !== field)
		hits.hidden = true;
});
/* The contents are open beside a wide page. */
const wide = matchMedia("(min-width: 60rem)");

function open_contents()
{
	const contents = document.getElementById("contents"), here = contents.querySelector("[aria-current]");
	const list = contents.parentElement;

	contents.open = wide.matches;
	/* The list is longer than most windows: this page's line must be in sight. */
	if (wide.matches && here) {
		const line = here.getBoundingClientRect(), frame = list.getBoundingClientRect();
		if (line.bottom > frame.bottom)
			list.scrollTop += line.bottom - frame.top - frame.height / 2;
	}
}

wide.addEventListener("change", open_contents);
open_contents();
if (document.getElementById("found"))
	show_all(new URLSearchParams(location.search).get("q") || "");
