import { HttpLayerRouter, OpenApi } from "@effect/platform"
import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { endpointList } from "./endpointList.ts"
import { openApiDocument } from "./openapi.ts"
import { renderPage } from "./renderPage.ts"
import type { RenderedPage } from "./renderPage.ts"

/**
 * The contract's documents: `/openapi.json`; `/docs`, a page that works offline (Scalar, with its script inlined); and
 * `/llms.txt`, an index for language models. Each is rendered on its first request, because the script has three megabytes.
 * @param below path prefix: `/admin` for `/admin/docs`
 */
export const docsPages = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  below = ""
): Readonly<Record<string, (request: Request) => Promise<Response>>> => {
  const once = (make: () => Promise<RenderedPage>) => {
    let page: Promise<RenderedPage> | undefined
    return async (request: Request) => (await (page ??= make()))(request)
  }
  const json = { "content-type": "application/json" }
  const plain = { "content-type": "text/plain; charset=utf-8" }
  return {
    [`${below}/openapi.json`]: once(() => renderPage(JSON.stringify(openApiDocument(api)), json)),
    [`${below}/llms.txt`]: once(() => renderPage(endpointList(api, below), plain)),
    [`${below}/docs`]: once(async () =>
      renderPage(await renderDocs(api.annotate(OpenApi.Transform, () => openApiDocument(api))), pageHeaders)
    )
  }
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  // The page sends requests with the reader's key, and must not send anything elsewhere.
  "content-security-policy":
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

const renderDocs = async (api: HttpApi.HttpApi.Any): Promise<string> => {
  const { layerHttpLayerRouter } = await import("@effect/platform/HttpApiScalar")
  const scalar = {
    withDefaultFonts: false,
    hideClientButton: true,
    hideModels: true,
    // Both would contact Scalar's servers.
    showToolbar: "never",
    telemetry: false
  }
  const { dispose, handler } = HttpLayerRouter.toWebHandler(layerHttpLayerRouter({ api, path: "/docs", scalar }), {
    disableLogger: true
  })
  const html = await (await handler(new Request("http://gateway/docs"))).text()
  await dispose()
  return html
}
