'use strict';

// The browser shows a simulated phone: it asks for what changes there.

const whenVisible = (work, seconds) => setInterval(() => { if (!document.hidden) work(); }, seconds * 1000);

// Replaces what is in an element by a part of a page, if it is another one.
async function update(element, source) {
  const answer = await fetch(source, { headers: { accept: 'text/html' } }).catch(() => null);
  if (!answer || !answer.ok) return;
  // The session has ended.
  if (answer.redirected) { location.assign(answer.url); return; }
  const text = answer.status === 204 ? '' : await answer.text();
  const part = new DOMParser().parseFromString(text, 'text/html');
  // What is there stays, with the focus: also what the page came with.
  if (part.body.innerHTML.trim() === element.innerHTML.trim()) return;
  element.replaceChildren(...part.body.childNodes);
}

const notifications = document.getElementById('notifications');
whenVisible(() => update(notifications, '/phone/notifications'), 1);

const arrivals = document.getElementById('arrivals');
if (arrivals) whenVisible(() => update(arrivals, arrivals.dataset.source), 5);

// The app comes back to the foreground: the phone asks whether the person is signed in still.
document.addEventListener('visibilitychange', async () => {
  if (document.hidden || !document.querySelector('nav')) return;
  const answer = await fetch('/phone/active', { method: 'POST' }).catch(() => null);
  if (answer && answer.redirected) location.assign(answer.url);
});

// While the server is asked, nothing can be sent twice.
for (const form of document.querySelectorAll('form[data-waiting]')) {
  form.addEventListener('submit', () => {
    const button = form.querySelector('button');
    button.textContent = form.dataset.waiting;
    // After the browser has read the fields.
    setTimeout(() => { for (const field of form.elements) field.disabled = true; });
  });
}
