import { h } from "./dom.ts"
import { icon } from "./components/icons.ts"
import type { IconName } from "./components/icons.ts"
import { span } from "./format.ts"
import { hrefOf } from "./router.ts"
import type { Session } from "./session.ts"
import { words } from "./words/words.ts"

export type PageName = "overview" | "requests" | "tasks" | "keys" | "accounts" | "models" | "playground"

const forOperators: ReadonlyArray<PageName> = [
  "overview",
  "requests",
  "tasks",
  "keys",
  "accounts",
  "models",
  "playground"
]
const forHolders: ReadonlyArray<PageName> = ["overview", "requests", "tasks", "playground"]

export const pagesOf = (session: Session): ReadonlyArray<PageName> =>
  session.kind === "operator" ? forOperators : forHolders

/** The navigation and the place for a page. */
export const makeFrame = (
  session: Session,
  acts: { readonly help: () => void; readonly theme: () => void; readonly signOut: () => void }
) => {
  const links = pagesOf(session).map((page) => ({
    page,
    element: h(
      "a",
      { class: "nav-item", href: hrefOf(page), title: `${words.pages[page]} (g ${page[0] ?? ""})` },
      icon(page),
      h("span", { class: "nav-word" }, words.pages[page])
    )
  }))
  const foot = (name: IconName, word: string, key: string, act: () => void) =>
    h(
      "button",
      { type: "button", class: "nav-item", title: key === "" ? word : `${word} (${key})`, on: { click: act } },
      icon(name),
      h("span", { class: "nav-word" }, word)
    )
  const left = span(Date.parse(session.expires_at) - Date.now())
  const who =
    session.kind === "operator" ? words.frame.operator(left) : words.frame.holder(session.account_id ?? "", left)
  const sessionsLink =
    session.kind === "operator" &&
    h(
      "a",
      { class: "nav-item", href: hrefOf("sessions"), title: words.sessions.title },
      icon("sessions"),
      h("span", { class: "nav-word" }, words.sessions.title)
    )
  const main = h("main", { id: "main", tabindex: -1 })
  const nav = h(
    "nav",
    { class: "nav", "aria-label": words.frame.label },
    h(
      "a",
      { class: "brand", href: hrefOf("overview"), "aria-label": words.product },
      icon("brand", 18),
      h("span", { class: "nav-word" }, words.product)
    ),
    links.map(({ element }) => element),
    h(
      "div",
      { class: "nav-foot" },
      sessionsLink,
      foot("help", words.frame.shortcuts, "?", acts.help),
      foot("theme", words.frame.theme, "d", acts.theme),
      foot("leave", words.frame.signOut, "", acts.signOut),
      h("div", { class: "nav-where" }, who, h("code", {}, location.host))
    )
  )
  const element = h(
    "div",
    { class: "shell" },
    h(
      "a",
      { class: "skip", href: "#main", on: { click: (event) => (event.preventDefault(), main.focus()) } },
      words.frame.skip
    ),
    nav,
    main
  )
  return {
    element,
    main,
    /** Marks the current page. */
    mark(page: string) {
      for (const link of [...links, ...(sessionsLink === false ? [] : [{ page: "sessions", element: sessionsLink }])]) {
        if (link.page === page) link.element.setAttribute("aria-current", "page")
        else link.element.removeAttribute("aria-current")
      }
      links.find((link) => link.page === page)?.element.scrollIntoView({ block: "nearest", inline: "nearest" })
    }
  }
}

/** A page's header: its name, a count and its actions. */
export const pageHead = (title: string, ...right: ReadonlyArray<HTMLElement | undefined>) => {
  const note = h("span", { class: "faint head-note" })
  const element = h("div", { class: "bar" }, h("h1", {}, title), note, h("span", { class: "grow" }), right)
  return { element, note }
}
