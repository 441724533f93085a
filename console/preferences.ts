import { signal } from "@preact/signals"

/** The user's preferences, stored in this browser if possible. */
const read = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Without storage, the choice holds until the page is left.
  }
}

export const applyTheme = (): void => {
  const theme = read("theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme
}

export const toggleTheme = (): void => {
  const { dataset } = document.documentElement
  const isDark =
    dataset["theme"] === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : dataset["theme"] === "dark"
  dataset["theme"] = isDark ? "light" : "dark"
  write("theme", dataset["theme"])
}

const isClock = signal(read("times") === "clock")

/** Times are shown as clock times or as ages; components that ask are drawn again when it changes. */
export const clockTimes = {
  chosen: (): boolean => isClock.value,
  toggle: (): void => {
    isClock.value = !isClock.value
    write("times", isClock.value ? "clock" : "age")
  }
}
