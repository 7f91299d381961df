// What Streamlit calls: on mounting, on every change of data and of theme, always with the same parent.

import { mount } from "./viewer.js";
import css from "./viewer.css";

export default function component({ data, parentElement }) {
  return mount(parentElement, data ?? {}, { css });
}
