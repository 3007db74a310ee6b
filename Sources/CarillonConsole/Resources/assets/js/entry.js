"use strict";
(() => {
  // Passkeys: the browser answers what the server asked, and the answer is sent as a form. Without a script there is none.
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const forms = window.PublicKeyCredential ? document.querySelectorAll("form[data-passkey]") : [];
  for (const form of forms) {
    form.hidden = false;
    for (const hint of document.querySelectorAll("[data-passkey-none]")) hint.hidden = true;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const problem = form.querySelector("[data-passkey-problem]");
      const button = form.querySelector("button");
      problem.textContent = "";
      button.disabled = true;
      try {
        const options = JSON.parse(form.dataset.options);
        options.challenge = bytes(options.challenge);
        if (options.user) options.user.id = bytes(options.user.id);
        for (const list of [options.allowCredentials, options.excludeCredentials]) {
          for (const one of list || []) one.id = bytes(one.id);
        }
        const made = await navigator.credentials[form.dataset.passkey]({ publicKey: options });
        const answer = { id: made.id };
        for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
          // An answer to `create` has `authenticatorData` too, inside of what it attests.
          if (made.response[name] && !(name === "authenticatorData" && made.response.attestationObject)) {
            answer[name] = text(made.response[name]);
          }
        }
        form.elements.credential.value = JSON.stringify(answer);
        form.submit();
      } catch {
        problem.textContent = form.querySelector("template").content.textContent;
      }
      button.disabled = false;
    });
  }

  // The end of the session is told two minutes before. The clock is the browser's, which a sleeping computer does not stop.
  const warning = document.querySelector("[data-session-left]");
  if (!warning) return;
  const form = warning.querySelector("form");
  let end = 0, isFinal = false;
  const read = (place) => {
    end = Date.now() + 1000 * Number(place.dataset.sessionLeft);
    isFinal = "sessionFinal" in place.dataset;
  };
  const show = () => {
    const left = end - Date.now();
    const key = left <= 0 ? "over" : isFinal ? "final" : "soon";
    warning.hidden = left > 120000;
    if (warning.hidden) return;
    form.hidden = key !== "soon";
    const message = warning.querySelector("p");
    if (message.dataset.shown === key) return;
    message.dataset.shown = key;
    message.textContent = message.dataset[key];
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("[data-session-left]");
      // Without one the page asks who is there: the session has ended.
      if (next) read(next); else end = Date.now();
    } catch {
      // The server is not there: the warning stays, and can be answered again.
    }
    delete warning.querySelector("p").dataset.shown;
    show();
  });
  read(warning);
  show();
  setInterval(show, 1000);
})();
