import { useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import { basePath, gatewayUrl, isForPeople } from "../address.ts"
import { Refused } from "../client.ts"
import { IconButton } from "../parts/Button.tsx"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { TextField } from "../parts/fields.tsx"
import { useField, wrong } from "../parts/form.ts"
import { Icon } from "../parts/Icon.tsx"
import { Status } from "../parts/Status.tsx"
import { Copyable } from "../parts/text.tsx"
import type { SignInLink } from "../session.ts"
import { firstRequest } from "../snippets.ts"
import { words } from "../words/words.ts"

const text = words.signedOut

/** How the session of this page ended, if that has to be told. `here-alone`: the provider's own sign-in goes on. */
export type Ending = "none" | "expired" | "here-alone"

interface SignedOutProps {
  readonly theme: () => void
  readonly signIn: (key: string) => Promise<unknown>
  readonly links: ReadonlyArray<SignInLink>
  readonly ending: Ending
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Refused)) return words.failed.unknown
  if (error.status === 429) return text.tooMany
  return error.status === 0 ? words.failed.noAnswer : text.wrong
}

/** The sign-in page. Makes no request. */
export const SignedOut = ({ ending, links, signIn, theme }: SignedOutProps) => (
  <div class="signed-out">
    <header>
      <span class="brand">
        <Icon name="brand" size={18} />
        {words.product}
      </span>
      <a href={`${basePath}/docs`}>{words.documentation}</a>
      <IconButton name="theme" label={words.frame.theme} onClick={theme} />
    </header>
    <main id="main">
      <div>
        <h1>{text.title}</h1>
        <p class="lead">{text.lead}</p>
        <dl class="addresses">
          <Address name={text.openai} at={`${gatewayUrl}/v1`} />
          <Address name={text.anthropic} at={gatewayUrl} />
          <Address name={text.videos} at={`${gatewayUrl}/api/v3`} />
        </dl>
        <CodeBlock snippets={firstRequest(gatewayUrl)} />
        <p class="hint">
          {text.free}
          <code>gateway keys create NAME</code>
        </p>
      </div>
      <SignIn ending={ending} links={links} signIn={signIn} />
    </main>
    <footer>
      <Status tone="well">{text.serving}</Status>
      <span class="grow" />
      <a href={`${basePath}/docs`}>/docs</a>
      <a href={`${basePath}/openapi.json`}>/openapi.json</a>
    </footer>
  </div>
)

const Address = ({ at, name }: { readonly name: string; readonly at: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <Copyable text={at} />
    </dd>
  </>
)

/** Providers send the browser back to the page that is shown. */
const hrefOf = ({ url }: SignInLink) =>
  `${url}&${new URLSearchParams({ return_to: location.pathname + location.search })}`

const SignIn = ({ ending, links, signIn }: Pick<SignedOutProps, "ending" | "links" | "signIn">) => {
  const key = useField()
  const complaint = useSignal("")
  const isRunning = useSignal(false)
  useLayoutEffect(() => {
    if (links.length === 0) key.element.current?.focus()
  }, [])
  const submit = async () => {
    const given = key.value.value.trim()
    if (given === "") {
      complaint.value = wrong(key, text.empty).message
      return
    }
    isRunning.value = true
    try {
      await signIn(given)
    } catch (error) {
      complaint.value = wrong(key, reasonOf(error)).message
    } finally {
      isRunning.value = false
    }
  }
  return (
    <form
      class="sign-in"
      aria-labelledby="sign-in-title"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <h2 id="sign-in-title">{text.signIn}</h2>
      {ending === "expired" && <p class="note warn">{text.expired}</p>}
      {ending === "here-alone" && <p class="note">{text.hereAlone}</p>}
      {links.map((link) => (
        <a key={link.url} class="button primary" href={hrefOf(link)}>
          {text.signInWith(link.name)}
        </a>
      ))}
      {!isForPeople && (
        <>
          <TextField
            of={key}
            id="key"
            type="password"
            label={text.key}
            hint={text.hint}
            placeholder={text.placeholder}
            autocomplete="current-password"
          />
          <p class="field-error" role="alert" id="key-error" hidden={complaint.value === ""}>
            {complaint.value}
          </p>
          <button type="submit" class={links.length === 0 ? "button primary" : "button"} disabled={isRunning.value}>
            {text.signIn}
          </button>
        </>
      )}
    </form>
  )
}
