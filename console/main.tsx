import { signal } from "@preact/signals"
import { render } from "preact"
import type { FunctionComponent } from "preact"
import { useEffect } from "preact/hooks"
import { isForPeople } from "./address.ts"
import { actingIn } from "./actingIn.ts"
import { CopyContext } from "./hooks/useCopy.ts"
import { pagesOf } from "./pageNames.ts"
import { reaches } from "./reaches.ts"
import { Accounts } from "./pages/Accounts.tsx"
import { Audit } from "./pages/Audit.tsx"
import { Consent } from "./pages/Consent.tsx"
import { Device } from "./pages/Device.tsx"
import { HolderOverview } from "./pages/HolderOverview.tsx"
import { Keys } from "./pages/Keys.tsx"
import { Models } from "./pages/Models.tsx"
import { Overview } from "./pages/Overview.tsx"
import { Playground } from "./pages/Playground.tsx"
import { Requests } from "./pages/Requests.tsx"
import { Sessions } from "./pages/Sessions.tsx"
import { SignedOut } from "./pages/SignedOut.tsx"
import type { Ending } from "./pages/SignedOut.tsx"
import { Tasks } from "./pages/Tasks.tsx"
import { ToolAccounts } from "./pages/ToolAccounts.tsx"
import { Tools } from "./pages/Tools.tsx"
import { applyTheme, toggleTheme } from "./preferences.ts"
import { frontPage, hrefOf } from "./router.ts"
import { makeSessions } from "./session.ts"
import type { Session } from "./session.ts"
import { SignedIn } from "./SignedIn.tsx"
import { makeToast } from "./toast.ts"
import { words } from "./words/words.ts"

const forEveryone = { requests: Requests, tasks: Tasks, playground: Playground }
const forOperators: Record<string, FunctionComponent> = {
  ...forEveryone,
  overview: Overview,
  keys: Keys,
  accounts: Accounts,
  models: Models,
  tools: Tools,
  audit: Audit,
  sessions: Sessions,
  device: Device,
  consent: Consent
}
const forHolders: Readonly<Record<string, FunctionComponent>> = { ...forEveryone, overview: HolderOverview }

const forPeople: Readonly<Record<string, FunctionComponent>> = { device: Device, consent: Consent, tools: ToolAccounts }

/** The pages that a session's role reaches; others lead to the overview. */
const pagesFor = (session: Session): Readonly<Record<string, FunctionComponent>> => {
  if (isForPeople) return forPeople
  if (session.kind !== "operator") return forHolders
  const reached = new Set<string>([...pagesOf(session), "device", "consent", "components"])
  if (reaches(session, "adminSessions.list")) reached.add("sessions")
  return Object.fromEntries(Object.entries(forOperators).filter(([name]) => reached.has(name)))
}

const start = async (root: HTMLElement): Promise<void> => {
  applyTheme()
  if (process.env.NODE_ENV === "development") {
    forOperators["components"] = (await import("./pages/Components.tsx")).Components
  }
  const signing = makeSessions()
  const { copy, say, text } = makeToast()
  const session = signal<Session | undefined>(undefined)
  const ending = signal<Ending>("none")

  const begin = (found: Session | undefined) => {
    actingIn.begin(found)
    session.value = found
  }
  const ended = (how: Ending) => {
    ending.value = how
    session.value = undefined
  }
  signing.onEnded(() => ended("expired"))

  const signOut = async () => {
    const isPerson = session.value?.person === true
    const elsewhere = await signing.signOut()
    if (elsewhere !== undefined) return location.assign(elsewhere)
    history.replaceState(null, "", hrefOf(isForPeople ? frontPage : ""))
    ended(isPerson ? "here-alone" : "none")
  }

  const Landing = () => {
    document.title = words.product
    // Pages keep drafts for a reload; the next sign-in gets them only where this session expired.
    useEffect(() => {
      if (ending.value !== "expired") sessionStorage.clear()
    }, [])
    return (
      <SignedOut
        ending={ending.value}
        theme={toggleTheme}
        links={signing.links()}
        signIn={async (key) => begin(await signing.signIn({ key }))}
      />
    )
  }
  const Console = () => (
    <CopyContext.Provider value={copy}>
      {session.value === undefined ? (
        <Landing />
      ) : (
        <SignedIn
          key={actingIn.account()}
          session={session.value}
          client={signing.client}
          pages={pagesFor(session.value)}
          say={say}
          copy={copy}
          check={() => void signing.check()}
          signOut={() => void signOut()}
        />
      )}
      <div class="toast" role="status" aria-live="polite">
        {text.value}
      </div>
    </CopyContext.Provider>
  )

  const link = /^#link=(.+)$/.exec(location.hash)?.[1]
  if (link !== undefined) history.replaceState(null, "", location.pathname)
  const opened = link === undefined ? undefined : await signing.signIn({ link }).catch(() => undefined)
  begin(opened ?? (await signing.find()))
  render(<Console />, root)
}

const root = document.getElementById("app")
if (root !== null) {
  start(root).catch((error: unknown) =>
    render(
      <main class="state">
        <h1>{words.failed.start}</h1>
        <p>{String(error)}</p>
      </main>,
      root
    )
  )
}
