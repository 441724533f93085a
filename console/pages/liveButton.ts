import { button } from "../components/bits.ts"
import { h } from "../dom.ts"
import { words } from "../words/words.ts"

/** Switches live rows on and off. */
export const liveButton = (changed: () => void = () => {}) => {
  let isOn = false
  const toggle = () => {
    isOn = !isOn
    element.setAttribute("aria-pressed", String(isOn))
    changed()
  }
  const element = button([h("i"), words.frame.live], toggle, {
    look: "live",
    "aria-pressed": "false",
    title: words.frame.liveTitle
  })
  return { element, toggle, isOn: () => isOn }
}
