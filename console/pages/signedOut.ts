import { basePath, gatewayUrl } from "../address.ts"
import { iconButton } from "../components/bits.ts"
import { codeBlock } from "../components/codeBlock.ts"
import { field, textInput } from "../components/fields.ts"
import { icon } from "../components/icons.ts"
import { status } from "../components/status.ts"
import { Refused } from "../client.ts"
import { fill, h } from "../dom.ts"
import type { Session } from "../session.ts"
import { firstRequest } from "../snippets.ts"
import { words } from "../words/words.ts"

interface SignedOut {
  readonly root: HTMLElement
  readonly copy: (text: string) => void
  readonly theme: () => void
  readonly signIn: (proof: { readonly key: string }) => Promise<Session>
  readonly signedIn: (session: Session) => void
  /** True if the user was signed in until now. */
  readonly isExpired: boolean
}

/** The sign-in page. Makes no request. */
export const signedOut = ({ copy, isExpired, root, signIn, signedIn, theme }: SignedOut): void => {
  const text = words.signedOut
  const key = textInput("", {
    id: "key",
    type: "password",
    autocomplete: "current-password",
    placeholder: text.placeholder
  })
  const wrong = h("p", { class: "field-error", role: "alert", id: "key-error", hidden: true })
  const go = h("button", { type: "submit", class: "button primary" }, text.signIn)
  const complain = (message: string) => {
    wrong.textContent = message
    wrong.hidden = false
    key.setAttribute("aria-invalid", "true")
    key.focus()
  }
  const submit = async () => {
    if (key.value.trim() === "") return complain(text.empty)
    go.disabled = true
    try {
      signedIn(await signIn({ key: key.value.trim() }))
    } catch (error) {
      complain(
        !(error instanceof Refused)
          ? words.failed.unknown
          : error.status === 429
            ? text.tooMany
            : error.status === 0
              ? words.failed.noAnswer
              : text.wrong
      )
    } finally {
      go.disabled = false
    }
  }
  const address = (name: string, at: string) => [
    h("dt", {}, name),
    h(
      "dd",
      {},
      h(
        "button",
        { type: "button", class: "copyable", "aria-label": words.copy.it(at), on: { click: () => copy(at) } },
        at,
        icon("copy", 12)
      )
    )
  ]
  const form = h(
    "form",
    {
      class: "sign-in",
      "aria-labelledby": "sign-in-title",
      novalidate: true,
      on: {
        submit(event) {
          event.preventDefault()
          void submit()
        }
      }
    },
    h("h2", { id: "sign-in-title" }, text.signIn),
    isExpired && h("p", { class: "note warn" }, text.expired),
    field(text.key, key, text.hint),
    wrong,
    go
  )
  fill(
    root,
    h(
      "div",
      { class: "signed-out" },
      h(
        "header",
        {},
        h("span", { class: "brand" }, icon("brand", 18), words.product),
        h("a", { href: `${basePath}/docs` }, words.documentation),
        iconButton("theme", words.frame.theme, theme)
      ),
      h(
        "main",
        { id: "main" },
        h(
          "div",
          {},
          h("h1", {}, text.title),
          h("p", { class: "lead" }, text.lead),
          h(
            "dl",
            { class: "addresses" },
            address(text.openai, `${gatewayUrl}/v1`),
            address(text.anthropic, gatewayUrl),
            address(text.videos, `${gatewayUrl}/api/v3`)
          ),
          codeBlock({ copy }, firstRequest(gatewayUrl)),
          h("p", { class: "hint" }, text.free, h("code", {}, "gateway keys create NAME"))
        ),
        form
      ),
      h(
        "footer",
        {},
        status("well", text.serving),
        h("span", { class: "grow" }),
        h("a", { href: `${basePath}/docs` }, "/docs"),
        h("a", { href: `${basePath}/openapi.json` }, "/openapi.json")
      )
    )
  )
  key.focus()
}
