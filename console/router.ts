import { signal } from "@preact/signals"
import { basePath, isForPeople } from "./address.ts"

/** The current location: `/console/requests/req_…?q=…`. The address is the whole state of a page. */
export interface Route {
  readonly page: string
  /** The record in the drawer. */
  readonly id: string | undefined
  readonly query: URLSearchParams
}

const base = `${basePath}/console`

const routeOf = (address: { readonly pathname: string; readonly search: string }): Route => {
  const [page = "", id] = address.pathname.slice(base.length + 1).split("/")
  return {
    page,
    id: id === undefined || id === "" ? undefined : decodeURIComponent(id),
    query: new URLSearchParams(address.search)
  }
}

/** The first page. */
export const frontPage = isForPeople ? "device" : "overview"

export const hrefOf = (
  page: string,
  id?: string,
  query?: URLSearchParams | Readonly<Record<string, string>>
): string => {
  const search = new URLSearchParams(query).toString()
  return `${base}${page === "" ? "" : `/${page}`}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${search === "" ? "" : `?${search}`}`
}

/** The same route with changed query parameters; an empty value removes one. */
export const withQuery = (route: Route, changes: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(route.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name)
    else query.set(name, value)
  }
  return hrefOf(route.page, route.id, query)
}

/** Follows links within the page without loading it again, and the browser's back and forward. */
export const makeRouter = () => {
  const route = signal(routeOf(location))
  const moved = () => {
    route.value = routeOf(location)
  }
  const go = (href: string, how: "push" | "replace" = "push"): void => {
    if (how === "push") history.pushState(null, "", href)
    else history.replaceState(null, "", href)
    moved()
  }
  const clicked = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (link === null || link.target !== "" || link.origin !== location.origin) return
    if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return
    event.preventDefault()
    go(link.pathname + link.search)
  }
  addEventListener("popstate", moved)
  document.addEventListener("click", clicked)
  const stop = () => {
    removeEventListener("popstate", moved)
    document.removeEventListener("click", clicked)
  }
  return {
    go,
    stop,
    /** The current route; components that ask are drawn again when it changes. */
    route: () => route.value
  }
}
