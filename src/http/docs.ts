import { HttpApi, OpenApi } from "@effect/platform"
import type { HttpApiGroup } from "@effect/platform"
import { Context } from "effect"
import { endpointList } from "./endpointList.ts"
import { openApiDocument, specOf } from "./openapi.ts"
import type { RolesOf } from "./openapi.ts"
import { groupPage, indexPage, referenceScript, slugOf } from "./referencePages.ts"
import { renderPage } from "./renderPage.ts"
import type { RenderedPage } from "./renderPage.ts"

/**
 * The contract's documents: `/openapi.json`; `/docs`, an index whose groups are pages of their own (Scalar), which work
 * offline; and `/llms.txt`, an index for language models. Each is rendered on its first request.
 * @param below path prefix: `/admin` for `/admin/docs`
 * @param base the path that a proxy takes off: links begin with it
 * @param rolesOf as in `openApiDocument`
 */
export const docsPages = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  below = "",
  base = "",
  rolesOf?: RolesOf
): Readonly<Record<string, (request: Request) => Promise<Response>>> => {
  const once = (make: () => Promise<RenderedPage>) => {
    let page: Promise<RenderedPage> | undefined
    return async (request: Request) => (await (page ??= make()))(request)
  }
  const json = { "content-type": "application/json" }
  const plain = { "content-type": "text/plain; charset=utf-8" }
  const script = { "content-type": "text/javascript; charset=utf-8" }
  const linked = base + below
  const groups = titlesOf(api).map((name) => [
    `${below}/docs/${slugOf(name)}`,
    once(() => renderPage(groupPage(openApiDocument(api, base, rolesOf), name, linked, base), pageHeaders))
  ])
  return {
    [`${below}/openapi.json`]: once(() => renderPage(JSON.stringify(openApiDocument(api, base, rolesOf)), json)),
    [`${below}/llms.txt`]: once(() => renderPage(endpointList(api, linked), plain)),
    [`${below}/docs`]: once(() => renderPage(indexPage(specOf(api), linked), pageHeaders)),
    ...Object.fromEntries(groups),
    // The same for every contract.
    "/docs/reference.js": once(async () => renderPage(await referenceScript(api), script))
  }
}

/** The groups as the document calls them. Making the document takes five megabytes that an idle gateway does without. */
const titlesOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ReadonlyArray<string> => {
  const titles: Array<string> = []
  HttpApi.reflect(api, {
    onGroup: ({ group: { annotations, identifier } }) => {
      if (Context.get(annotations, OpenApi.Exclude)) return
      titles.push(Context.getOrElse(annotations, OpenApi.Title, () => identifier))
    },
    onEndpoint: () => {}
  })
  return titles
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  // The page sends requests with the reader's key, and must not send anything elsewhere.
  "content-security-policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
