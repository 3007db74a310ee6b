"use strict";
// The drawings follow what is typed; the answers to a test come by themselves.
(() => {
  const form = document.querySelector("form.composer, form.content-form");
  const preview = document.querySelector("[data-preview]");
  const list = () => preview && preview.querySelector("[data-preview-list]");
  const page = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
  const body = (more = {}) => {
    const fields = new URLSearchParams(new FormData(form));
    for (const [name, value] of Object.entries(more)) fields.append(name, value);
    return fields;
  };
  if (form && preview && preview.dataset.preview) {
    let timer = 0;
    let last = null;
    const open = (language) => {
      for (const phone of list().querySelectorAll("details.phone")) phone.open = phone.dataset.language === language;
    };
    // A language without content has no drawing yet.
    const follow = (place) => {
      const language = place && place.dataset.language;
      if (language && list().querySelector(`details.phone[data-language="${CSS.escape(language)}"]`)) open(language);
    };
    const draw = async () => {
      if (last) last.abort();
      last = new AbortController();
      try {
        const answer = await fetch(preview.dataset.preview, { method: "POST", body: body(), signal: last.signal });
        if (!answer.ok) return;
        const fresh = (await page(answer)).querySelector("[data-preview-list]");
        const shown = list().querySelector("details.phone[open]");
        if (!fresh) return;
        list().replaceWith(document.adoptNode(fresh));
        follow(document.activeElement.closest(".content-block") || shown);
      } catch (problem) {
        if (problem.name !== "AbortError") throw problem;
      }
    };
    form.addEventListener("input", (event) => {
      if (event.target.closest("[data-preview], [data-test]")) return;
      clearTimeout(timer);
      timer = setTimeout(draw, 80);
    });
    form.addEventListener("focusin", (event) => {
      follow(event.target.closest(".content-block"));
    });
    preview.querySelector("[data-preview-button]").hidden = true;
  }
  const test = () => document.querySelector("[data-test]");
  const put = (document_) => {
    const fresh = document_.querySelector("[data-test]");
    if (fresh) test().replaceWith(document.adoptNode(fresh));
    return Boolean(fresh);
  };
  const wait = async () => {
    for (let count = 0; count < 20 && test().hasAttribute("data-waiting"); count += 1) {
      await new Promise((done) => { setTimeout(done, 300); });
      const answer = await fetch(test().dataset.test);
      if (!answer.ok || !put(await page(answer))) return;
    }
  };
  if (form && test()) {
    let isPlain = false;
    form.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-test-button]");
      if (!button || isPlain) return;
      event.preventDefault();
      const answer = await fetch(form.action, { method: "POST", body: body({ do: "test" }) });
      const next = await page(answer);
      // Problems are the page's.
      if (!answer.ok || !put(next)) { isPlain = true; button.click(); return; }
      form.elements.version.value = next.querySelector("input[name=version]").value;
      await wait();
    });
    if (test().hasAttribute("data-waiting")) wait();
  }
})();
