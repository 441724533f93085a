import { h } from "../dom.ts"

/** A line of text, shown for two seconds. */
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
