"use strict";
(() => {
  // The text of a key's file goes into its field; without this script it is pasted.
  for (const place of document.querySelectorAll("[data-file]")) {
    const input = place.querySelector("input");
    const field = (name) => document.getElementById(input.dataset[name]);
    place.hidden = false;
    input.addEventListener("change", async () => {
      const file = input.files[0];
      if (!file || file.size > 16384) return;
      field("text").value = await file.text();
      field("name").value = file.name;
      const id = /AuthKey_([A-Z0-9]{10})\.p8/.exec(file.name);
      if (id && !field("id").value) field("id").value = id[1];
      input.value = "";
    });
  }
})();
