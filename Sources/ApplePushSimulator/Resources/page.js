"use strict";

// Keeps the page up to date: takes the regions that changed from /page/events and puts them in the place of the old
// ones, touching only what differs, so that focus, selection and opened requests stay.

const policy = window.trustedTypes?.createPolicy("simulator-page", { createHTML: (markup) => markup });
const element = (id) => document.getElementById(id);

function parsed(markup) {
    return new DOMParser().parseFromString(policy ? policy.createHTML(markup) : markup, "text/html").body;
}

function isSameKind(one, other) {
    return one.nodeType === other.nodeType && one.nodeName === other.nodeName
        && one.dataset?.key === other.dataset?.key;
}

function update(old, fresh) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
        if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
        return;
    }
    for (const { name } of [...old.attributes]) {
        // Whether a request is open is the reader's choice, not the server's.
        if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    updateChildren(old, fresh);
}

function updateChildren(old, fresh) {
    const keyed = new Map();
    for (const child of old.children) {
        if (child.dataset.key !== undefined) keyed.set(child.dataset.key, child);
    }
    const wanted = new Set([...fresh.children].map((child) => child.dataset.key));
    let place = old.firstChild;
    const skipGone = () => {
        while (place?.dataset?.key !== undefined && !wanted.has(place.dataset.key)) {
            const next = place.nextSibling;
            place.remove();
            place = next;
        }
    };
    for (const node of [...fresh.childNodes]) {
        skipGone();
        const known = keyed.get(node.dataset?.key);
        if (known && isSameKind(known, node)) {
            if (known === place) place = place.nextSibling;
            else old.insertBefore(known, place);
            update(known, node);
        } else if (place && node.dataset?.key === undefined && isSameKind(place, node)) {
            const current = place;
            place = place.nextSibling;
            update(current, node);
        } else {
            old.insertBefore(document.importNode(node, true), place);
        }
    }
    while (place) {
        const next = place.nextSibling;
        place.remove();
        place = next;
    }
}

// Holding the list: while somebody reads a request, it must not run away under their eyes.

let held = null;

function isHeld() {
    return element("requests").querySelector("details[open]") !== null;
}

function showHeld() {
    element("held").hidden = !isHeld();
    if (!isHeld() && held !== null) {
        updateChildren(element("requests"), parsed(held));
        held = null;
    }
}

element("requests").addEventListener("toggle", showHeld, true);

function show(regions) {
    for (const [name, markup] of Object.entries(regions)) {
        if (name === "requests" && isHeld()) held = markup;
        else updateChildren(element(name), parsed(markup));
    }
}

// Saying what happened, but not more often than one can listen to.

let spoken = 0;
let sentence = "";
let speaking = null;

function say(text) {
    sentence = text;
    if (speaking !== null) return;
    const speak = () => {
        speaking = null;
        spoken = Date.now();
        if (element("say").textContent !== sentence) element("say").textContent = sentence;
    };
    speaking = setTimeout(speak, Math.max(0, spoken + 5000 - Date.now()));
}

function setLive(isLive) {
    element("live").dataset.live = isLive ? "on" : "off";
    element("live-text").textContent = isLive ? "Live" : "Reconnecting…";
}

const events = new EventSource("/page/events");
events.addEventListener("open", () => setLive(true));
events.addEventListener("error", () => setLive(false));
events.addEventListener("frame", (event) => {
    const frame = JSON.parse(event.data);
    show(frame.regions);
    say(frame.say);
});

// Buttons name the operation of the control API that they use.

document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-path]");
    if (!button) return;
    const { method, path, body } = button.dataset;
    button.setAttribute("aria-busy", "true");
    try {
        const answer = await fetch(path, { method, body: body || undefined });
        if (!answer.ok) {
            const problem = await answer.json().catch(() => null);
            say(`${button.textContent.trim()}: ${problem?.error?.message ?? answer.status}`);
        }
    } catch {
        say(`${button.textContent.trim()}: the simulator cannot be reached`);
    }
    button.removeAttribute("aria-busy");
});
