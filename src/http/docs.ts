import { HttpLayerRouter, OpenApi } from "@effect/platform"
import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { openApiDocument } from "./openapi.ts"

/**
 * `/openapi.json`, and `/docs`: the same contract as a page (Scalar, its script inside the page, so it works offline).
 * Both are made when first asked for; the script is three megabytes that no other request should pay for.
 * @param below where they stand: `/admin` for `/admin/docs`
 */
export const docsPages = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  below = ""
) => {
  let document: string | undefined
  // A blob is sent from where it is; a text of this size would be copied for every slow reader.
  let page: Promise<Blob> | undefined
  const pages: Readonly<Record<string, () => Response | Promise<Response>>> = {
    [`${below}/openapi.json`]: () => {
      document ??= JSON.stringify(openApiDocument(api))
      return new Response(document, { headers: { "content-type": "application/json" } })
    },
    [`${below}/docs`]: async () => {
      page ??= renderDocs(api.annotate(OpenApi.Transform, () => openApiDocument(api)))
      return new Response(await page, { headers: pageHeaders })
    }
  }
  return pages
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  // The page tries requests out with the reader's own key: neither it nor the key goes anywhere else.
  "content-security-policy":
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

const renderDocs = async (api: HttpApi.HttpApi.Any): Promise<Blob> => {
  const { layerHttpLayerRouter } = await import("@effect/platform/HttpApiScalar")
  const scalar = {
    withDefaultFonts: false,
    hideClientButton: true,
    hideModels: true,
    // Both would leave the machine.
    showToolbar: "never",
    telemetry: false
  }
  const { dispose, handler } = HttpLayerRouter.toWebHandler(layerHttpLayerRouter({ api, path: "/docs", scalar }), {
    disableLogger: true
  })
  const html = await (await handler(new Request("http://gateway/docs"))).blob()
  await dispose()
  return html
}
