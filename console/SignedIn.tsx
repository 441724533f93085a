import { useSignal } from "@preact/signals"
import type { FunctionComponent } from "preact"
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { isForPeople } from "./address.ts"
import { actingIn } from "./actingIn.ts"
import type { App } from "./app.ts"
import { makeCatalogue } from "./catalogue.ts"
import type { Client } from "./client.ts"
import { makeDeletions } from "./deletions.ts"
import { AppContext } from "./hooks/useApp.ts"
import { ShortcutsContext } from "./hooks/useShortcuts.ts"
import type { PageShortcuts } from "./hooks/useShortcuts.ts"
import { listenToKeys } from "./keys.ts"
import { noLive, openLive } from "./live.ts"
import { letterOf, pagesOf } from "./pageNames.ts"
import { Frame } from "./parts/Frame.tsx"
import { Help } from "./parts/Help.tsx"
import { clockTimes, toggleTheme } from "./preferences.ts"
import { frontPage, hrefOf, makeRouter } from "./router.ts"
import type { Session } from "./session.ts"
import { words } from "./words/words.ts"

interface SignedInProps {
  readonly session: Session
  readonly client: Client
  /** The pages that the session opens. */
  readonly pages: Readonly<Record<string, FunctionComponent>>
  readonly say: (text: string) => void
  readonly copy: (text: string) => void
  /** Looks whether the session is over. */
  readonly check: () => void
  readonly signOut: () => void
}

const begin = ({ check, client, copy, say, session }: SignedInProps) => {
  const account = actingIn.account()
  const query = account === undefined ? "" : `?${new URLSearchParams({ account })}`
  const live = isForPeople
    ? noLive
    : openLive(session.kind === "operator" ? `/admin/v1/events${query}` : "/v1/events", check)
  const router = makeRouter()
  const app: App = {
    client,
    session,
    live,
    deletions: makeDeletions(),
    catalogue: makeCatalogue(client, session),
    route: router.route,
    go: router.go,
    clockTimes: clockTimes.chosen,
    toast: say,
    copy
  }
  const end = () => {
    live.close()
    router.stop()
  }
  return { app, end }
}

const focusedId = () =>
  document.activeElement instanceof HTMLElement ? document.activeElement.dataset["id"] : undefined

/** The console of a session. */
export const SignedIn = (props: SignedInProps) => {
  const { copy, pages, session, signOut } = props
  const { app, end } = useMemo(() => begin(props), [])
  const isHelping = useSignal(false)
  const page = useRef<PageShortcuts>({})
  const { page: name, query } = app.route()
  const Page = pages[name]
  useLayoutEffect(() => {
    const stop = listenToKeys({
      page: (letter) => {
        const to = pagesOf(session).find((one) => letterOf(one) === letter)
        if (to !== undefined) app.go(hrefOf(to))
        return to !== undefined
      },
      search: () => document.querySelector<HTMLElement>("#search")?.focus(),
      help: () => (isHelping.value = true),
      step: (by) => page.current.step?.(by),
      close: () => app.route().id !== undefined && page.current.leave?.(),
      create: () => page.current.create?.(),
      live: () => page.current.toggleLive?.(),
      times: clockTimes.toggle,
      copy: () => {
        const id = app.route().id ?? focusedId()
        if (id !== undefined) copy(id)
      },
      theme: toggleTheme,
      send: () => page.current.send?.()
    })
    return () => {
      stop()
      end()
    }
  }, [])
  useLayoutEffect(() => {
    if (Page === undefined) app.go(hrefOf(frontPage, undefined, name === "" ? query : {}), "replace")
    document.title = `${words.titles[name] ?? name} · ${words.product}`
  }, [name])
  return (
    <AppContext.Provider value={app}>
      <ShortcutsContext.Provider value={page}>
        <Frame
          session={session}
          page={name}
          help={() => (isHelping.value = true)}
          theme={toggleTheme}
          signOut={signOut}
        >
          {Page !== undefined && <Page key={name} />}
        </Frame>
        {isHelping.value && <Help pages={pagesOf(session)} close={() => (isHelping.value = false)} />}
      </ShortcutsContext.Provider>
    </AppContext.Provider>
  )
}
