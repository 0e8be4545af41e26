// The form of a new study: shows what the question needs, and makes the study.

import { post } from "./api.js";
import { followGoal, goalOf, onSubmit, wholeOf } from "./forms.js";

const form = document.getElementById("new-form");

function follow() {
  for (const label of form.querySelectorAll("[data-for]")) {
    const fits = label.dataset.for.trim().split(" ").some((pair) => {
      const [name, value] = pair.split(":");
      return form.elements[name].value === value;
    });
    label.hidden = !fits;
    const field = label.querySelector("input");
    field.disabled = !fits;
    field.required = fits;
  }
  const { kind, by } = form.elements, whole = by.options[0], groups = kind.value !== "estimate";  // which asks about groups
  whole.disabled = whole.hidden = groups;
  if (groups && !by.value) { by.value = "predicted_class"; follow(); }
}

function said() {
  const e = form.elements, question = { kind: e.kind.value, metric: e.metric.value };
  const by = e.by.value === "column" ? "column:" + e.column.value.trim() : e.by.value;
  if (by) { question.by = [by]; }
  for (const name of ["positive", "a", "b"]) { if (!e[name].disabled) { question[name] = e[name].value.trim(); } }
  for (const name of ["top", "threshold"]) { if (!e[name].disabled) { question[name] = Number(e[name].value); } }
  return { name: e.name.value.trim(), pool: e.pool.value, question, until: goalOf(form), budget: wholeOf(e.budget),
    labels_per_item: Number(e.each.value) };
}

if (form) {
  form.addEventListener("change", follow);
  follow();
  followGoal(form);
  onSubmit(form, async () => {
    const asked = said();
    await post("/api/studies", asked);
    location.assign("/s/" + encodeURIComponent(asked.name) + "/owner");
  });
}
