// All pages work without this script.
"use strict";
(() => {
  // A form with problems: the summary has the focus, so that it is read first.
  const problems = document.querySelector("[data-focus]");
  if (problems) problems.focus();
  // On a narrow screen the menu begins closed.
  const menu = document.querySelector("details.menu");
  if (menu && matchMedia("(max-width: 880px)").matches) menu.open = false;
  // Escape closes what is open, and the focus goes back to what opened it.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector("details.switcher[open]");
    if (open) { open.open = false; open.querySelector("summary").focus(); }
  });
  // The numbers of a Campaign that is under way. Values are put in place as text.
  const live = document.querySelector("[data-stream]");
  if (live) {
    const status = live.querySelector("[data-live-status]");
    const toggle = live.querySelector("button");
    let source = null;
    let isPaused = false;
    let last = Date.now();
    let time = live.dataset.at;
    // What is said aloud: milestones alone, at most each ten seconds.
    const voice = document.createElement("span");
    voice.className = "voice";
    voice.setAttribute("role", "status");
    live.after(voice);
    let spoken = "", spokenAt = 0;
    const say = (text) => {
      if (!text || text === spoken || Date.now() - spokenAt < 10000) return;
      spoken = text; spokenAt = Date.now(); voice.textContent = text;
    };
    const show = (text) => { if (status.textContent !== text) status.textContent = text; };
    const stale = () => show(live.dataset.stale.replace("{time}", time));
    const put = (name, values) => {
      for (const [key, value] of Object.entries(values)) {
        for (const cell of document.querySelectorAll(`[data-${name}="${key}"]`)) cell.textContent = value;
      }
    };
    const close = () => { if (source) source.close(); source = null; };
    // A browser gives a stream up that ended, or that the server could not give. What ended has another page.
    let asked = 0;
    const again = async () => {
      if (Date.now() - asked < 5000) return;
      asked = Date.now();
      const answer = await fetch(live.dataset.stream);
      if (answer.body) answer.body.cancel();
      // A session that ended leads to the page that asks for the password.
      if (answer.status === 204 || answer.redirected) { close(); location.reload(); } else if (answer.ok && source) open();
    };
    const open = () => {
      close();
      last = Date.now();
      source = new EventSource(live.dataset.stream);
      source.addEventListener("progress", (event) => {
        const progress = JSON.parse(event.data);
        // Another state has other actions.
        if (progress.state !== live.dataset.state) { close(); location.reload(); return; }
        last = Date.now();
        time = progress.at;
        put("live", progress.numbers);
        put("live-share", progress.shares);
        show(`${live.dataset.on} ${time}`);
        say(progress.milestone);
      });
    };
    // A browser has few connections of a host: a page that nobody sees takes none.
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) close(); else if (!isPaused) open();
    });
    toggle.addEventListener("click", () => {
      isPaused = !isPaused;
      toggle.textContent = isPaused ? live.dataset.resume : live.dataset.pause;
      if (isPaused) { close(); stale(); } else open();
    });
    setInterval(() => {
      if (source && source.readyState === EventSource.CLOSED) again().catch(() => {});
      if (source && Date.now() - last > 12000) stale();
    }, 1000);
    live.hidden = false;
    if (!document.hidden) open();
  }
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      const was = button.textContent;
      button.textContent = button.dataset.copied;
      setTimeout(() => { button.textContent = was; }, 2000);
    });
  }
})();
