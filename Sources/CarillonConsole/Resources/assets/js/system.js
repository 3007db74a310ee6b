// Keyboard shortcuts. They do nothing in fields, and nothing at all when they are switched off in the account.
(() => {
  const list = document.getElementById("keys");
  const stored = "carillon-shortcuts";
  const isOn = () => localStorage.getItem(stored) !== "off";
  const setting = document.querySelector("[data-keys]");
  if (setting) {
    const box = setting.querySelector("input");
    setting.hidden = false;
    box.checked = isOn();
    box.addEventListener("change", () => { localStorage.setItem(stored, box.checked ? "on" : "off"); });
  }
  if (!list) return;
  const pages = { c: "campaigns", d: "devices", a: "audiences", s: "statistics" };
  let since = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || list.open || !isOn()) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const isGoing = Date.now() - since < 1500;
    since = 0;
    if (isGoing && pages[event.key] && list.dataset.app) {
      event.preventDefault();
      location.assign(`${list.dataset.app}/${pages[event.key]}`);
    } else if (event.key === "g") {
      since = Date.now();
    } else if (event.key === "/") {
      const field = document.getElementById("find");
      if (field) { event.preventDefault(); field.focus(); }
    } else if (event.key === "?") {
      event.preventDefault();
      list.showModal();
    }
  });
})();
