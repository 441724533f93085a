import { h } from "../dom.ts"

/** One line for two seconds, for what has no place of its own. */
export const makeToast = () => {
  const element = h("div", { class: "toast", role: "status", "aria-live": "polite" })
  let timer: ReturnType<typeof setTimeout> | undefined
  const say = (text: string) => {
    element.textContent = text
    clearTimeout(timer)
    timer = setTimeout(() => {
      element.textContent = ""
    }, 2_200)
  }
  return { element, say }
}
