import type { App, RenderPage, View } from "./app.ts"
import { makeCatalogue } from "./catalogue.ts"
import { makeToast } from "./components/toast.ts"
import { fill, h } from "./dom.ts"
import { makeFrame, pagesOf } from "./frame.ts"
import { helpDialog } from "./help.ts"
import { listenToKeys } from "./keys.ts"
import { openLive } from "./live.ts"
import { accounts } from "./pages/accounts.ts"
import { holderOverview } from "./pages/holderOverview.ts"
import { keys } from "./pages/keys.ts"
import { models } from "./pages/models.ts"
import { overview } from "./pages/overview.ts"
import { playground } from "./pages/playground.ts"
import { requests } from "./pages/requests.ts"
import { page } from "./page.tsx"
import { Sessions } from "./pages/Sessions.tsx"
import { signedOut } from "./pages/signedOut.ts"
import { tasks } from "./pages/tasks.ts"
import { applyTheme, clockTimes, toggleTheme } from "./preferences.ts"
import { hrefOf, makeRouter, routeOf } from "./router.ts"
import type { Route } from "./router.ts"
import { makeSessions } from "./session.ts"
import type { Session } from "./session.ts"
import { words } from "./words/words.ts"

const forOperators: Record<string, RenderPage> = {
  overview,
  requests,
  tasks,
  keys,
  accounts,
  models,
  playground,
  sessions: page(Sessions)
}
const forHolders: Readonly<Record<string, RenderPage>> = { overview: holderOverview, requests, tasks, playground }

const start = async (root: HTMLElement): Promise<void> => {
  applyTheme()
  if (process.env.NODE_ENV === "development") {
    forOperators["components"] = page((await import("./pages/Components.tsx")).Components)
  }
  const signing = makeSessions()
  const toast = makeToast()
  document.body.append(toast.element)
  const copy = (text: string) => {
    const what = isSecret(text) ? words.copy.secret : text.length > 44 ? words.copy.characters(text.length) : text
    const done = () => toast.say(words.copy.done(what))
    navigator.clipboard.writeText(text).then(done, () => toast.say(words.copy.refused))
  }

  const landing = (isExpired = false) => {
    document.title = words.product
    signedOut({ root, copy, signIn: signing.signIn, theme: toggleTheme, isExpired, signedIn })
  }

  const signedIn = (session: Session) => {
    let shown: { readonly page: string; readonly view: View } | undefined
    const all = session.kind === "operator" ? forOperators : forHolders
    const live = openLive(session.kind === "operator" ? "/admin/v1/events" : "/v1/events", () => void signing.check())
    const router = makeRouter((route) => show(route))
    const app: App = {
      client: signing.client,
      session,
      live,
      catalogue: makeCatalogue(signing.client, session),
      route: router.route,
      go: router.go,
      clockTimes: clockTimes.chosen,
      toast: toast.say,
      copy
    }
    const frame = makeFrame(session, {
      help: () => helpDialog(pagesOf(session)),
      theme: toggleTheme,
      signOut: () => void leave()
    })
    const show = (route: Route) => {
      const open = all[route.page]
      if (open === undefined) {
        return router.go(hrefOf("overview", undefined, route.page === "" ? route.query : {}), "replace")
      }
      if (shown?.page === route.page) return shown.view.show(route)
      shown?.view.close()
      frame.main.className = `page-${route.page}`
      fill(frame.main)
      frame.main.scrollTop = 0
      frame.mark(route.page)
      document.title = `${words.titles[route.page] ?? route.page} · ${words.product}`
      shown = { page: route.page, view: open(app, frame.main) }
      shown.view.show(route)
    }
    const focusedId = () =>
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset["id"] : undefined
    const stopKeys = listenToKeys({
      page: (letter) => {
        const page = pagesOf(session).find((page) => page.startsWith(letter))
        if (page !== undefined) app.go(hrefOf(page))
        return page !== undefined
      },
      search: () => document.querySelector<HTMLElement>("#search")?.focus(),
      help: () => helpDialog(pagesOf(session)),
      step: (by) => shown?.view.step?.(by),
      close: () => app.route().id !== undefined && shown?.view.leave?.(),
      create: () => shown?.view.create?.(),
      live: () => shown?.view.toggleLive?.(),
      times: () => {
        clockTimes.toggle()
        shown?.view.redraw?.()
      },
      copy: () => {
        const id = app.route().id ?? focusedId()
        if (id !== undefined) copy(id)
      },
      theme: toggleTheme,
      send: () => shown?.view.send?.()
    })
    const end = () => {
      shown?.view.close()
      live.close()
      stopKeys()
      router.stop()
    }
    const leave = async () => {
      await signing.signOut()
      end()
      history.replaceState(null, "", hrefOf(""))
      landing()
    }
    signing.onEnded(() => {
      end()
      landing(true)
    })
    fill(root, frame.element)
    show(routeOf(location))
  }

  const link = /^#link=(.+)$/.exec(location.hash)?.[1]
  if (link !== undefined) {
    history.replaceState(null, "", location.pathname)
    const session = await signing.signIn({ link }).catch(() => undefined)
    if (session !== undefined) return signedIn(session)
  }
  const session = await signing.find()
  return session === undefined ? landing() : signedIn(session)
}

const root = document.getElementById("app")
if (root !== null) {
  start(root).catch((error: unknown) =>
    fill(root, h("main", { class: "state" }, h("h1", {}, words.failed.start), h("p", {}, String(error))))
  )
}

/** A secret is shown once, and so is not repeated after it was copied. */
const isSecret = (text: string): boolean => /\bgw_\w{20,}/.test(text)
