// The estimate of the step Audience follows the form, without a new page.
"use strict";
(() => {
  const form = document.querySelector("form.composer");
  if (!form || !document.getElementById("estimate")) return;
  let last = 0;
  let timer = 0;
  const count = async (number) => {
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "estimate");
    const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    const text = await answer.text();
    // A late answer never replaces a newer one.
    if (number !== last || answer.status !== 200) return;
    const found = new DOMParser().parseFromString(text, "text/html").getElementById("estimate");
    if (found) document.getElementById("estimate").replaceWith(document.adoptNode(found));
  };
  const changed = (event) => {
    if (!event.target.name || event.target.name === "name" || event.target.name === "do") return;
    last += 1;
    const number = last;
    document.getElementById("estimate").classList.add("waiting");
    clearTimeout(timer);
    timer = setTimeout(() => { count(number).catch(() => {}); }, 400);
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
})();
