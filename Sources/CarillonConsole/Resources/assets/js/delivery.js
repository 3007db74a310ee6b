// The step Delivery: what the typed time and pace mean, counted again while they are typed. The countdown of a held Campaign.
(() => {
  const part = document.querySelector("[data-delivery]");
  if (part) {
    const form = part.closest("form");
    let timer, round = 0;
    const renew = async () => {
      const mine = ++round;
      const shown = document.getElementById("meaning");
      shown.setAttribute("aria-busy", "true");
      const body = new URLSearchParams(new FormData(form));
      body.set("do", "update");
      try {
        const answer = await fetch(form.action, { method: "POST", body, redirect: "error" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const made = page.getElementById("meaning");
        // A later answer is on its way, or there is nothing to show.
        if (mine === round && made) shown.replaceWith(document.adoptNode(made));
      } catch { shown.removeAttribute("aria-busy"); }
    };
    part.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(renew, 400); });
  }
  const clock = document.querySelector("[data-held]");
  if (clock) {
    // The server says how long is left; the page's own clock may be wrong.
    const end = performance.now() + 1000 * Number(clock.dataset.held);
    const tick = () => {
      const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      clock.textContent = String(left);
      if (left > 0) setTimeout(tick, 250); else setTimeout(() => location.reload(), 1500);
    };
    tick();
  }
})();
