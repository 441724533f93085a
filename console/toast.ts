import { signal } from "@preact/signals"
import { words } from "./words/words.ts"

/** A secret is shown once, and so is not repeated after it was copied. */
const isSecret = (text: string): boolean => /\bgw_\w{20,}/.test(text)

/** A line of text, shown for two seconds, and copying, which says so there. */
export const makeToast = () => {
  const text = signal("")
  let timer: ReturnType<typeof setTimeout> | undefined
  const say = (line: string) => {
    text.value = line
    clearTimeout(timer)
    timer = setTimeout(() => {
      text.value = ""
    }, 2_200)
  }
  const copy = (copied: string) => {
    const { characters, done, refused, secret } = words.copy
    const what = isSecret(copied) ? secret : copied.length > 44 ? characters(copied.length) : copied
    navigator.clipboard.writeText(copied).then(
      () => say(done(what)),
      () => say(refused)
    )
  }
  return { text, say, copy }
}
