import type { HttpApi, HttpApiGroup, OpenApi } from "@effect/platform"
import { isObject, listAt, objectAt, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"

/** The path of a group's page below `/docs`. */
export const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** The index of a contract: its groups with their endpoints. Each links to the page of its group. */
export const indexPage = ({ info, paths, tags }: OpenApi.OpenAPISpec, below: string): string => {
  const groups = tags.map(({ description = "", name }) => {
    const at = `${below}/docs/${slugOf(name)}`
    const endpoints = operations(paths).filter((one) => one.groups.includes(name))
    const rows = endpoints.map(
      ({ method, path, summary }) =>
        `<li><a href="${at}#tag/${slugOf(name)}/${method.toLowerCase()}${markUp(path)}"><code><b>${method}</b> ${markUp(path)}</code></a><span>${markUp(summary)}</span></li>`
    )
    return `<section><h2><a href="${at}">${markUp(name)}</a></h2><p>${markUp(description)}</p><ul>${rows.join("")}</ul></section>`
  })
  const about = (info.description ?? "").trim().split("\n\n").map(block)
  return page(
    info.title,
    `<style>${style}</style></head><body><main><h1>${markUp(info.title)} <small>${markUp(info.version)}</small></h1>` +
      `${about.join("")}<p><a href="${below}/openapi.json">openapi.json</a> <a href="${below}/llms.txt">llms.txt</a></p>` +
      `${groups.join("")}</main></body>`
  )
}

/** The page of one group: Scalar with the part of the document that the group needs. It sends requests too. */
export const groupPage = (document: JsonObject, tag: string, below: string, base: string): string => {
  const part = partOf(document, tag)
  const title = `${textAt(objectAt(part, "info"), "title") ?? ""}: ${tag}`
  const info = { ...objectAt(part, "info"), title, description: `[All groups](${below}/docs)` }
  return page(
    title,
    `</head><body><script id="api-reference" type="application/json" data-configuration="${escape(JSON.stringify(scalar))}">` +
      `${JSON.stringify({ ...part, info }).replaceAll("<", String.raw`\u003c`)}</script><script src="${base}/docs/reference.js"></script></body>`
  )
}

const scalar = {
  withDefaultFonts: false,
  hideClientButton: true,
  hideModels: true,
  defaultOpenAllTags: true,
  // Both would contact Scalar's servers.
  showToolbar: "never",
  telemetry: false
}

/** Scalar's script, taken out of the page that the platform makes of it. */
export const referenceScript = async <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Promise<string> => {
  const [{ layerHttpLayerRouter }, { HttpLayerRouter }] = await Promise.all([
    import("@effect/platform/HttpApiScalar"),
    import("@effect/platform")
  ])
  const { dispose, handler } = HttpLayerRouter.toWebHandler(layerHttpLayerRouter({ api, path: "/docs" }), {
    disableLogger: true
  })
  const html = await (await handler(new Request("http://gateway/docs"))).text()
  await dispose()
  return html.slice(html.lastIndexOf("<script>") + "<script>".length, html.lastIndexOf("</script>"))
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly groups: ReadonlyArray<string>
}

const operations = (paths: OpenApi.OpenAPISpec["paths"]): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary = "", tags }]) => ({
      method: method.toUpperCase(),
      path,
      summary,
      groups: tags
    }))
  )

/** The operations of one group, with the schemas that they refer to. */
const partOf = (document: JsonObject, tag: string): JsonObject => {
  const paths = keep(objectAt(document, "paths"), (item) => {
    const own = keep(item, (operation) => (listAt(operation, "tags").includes(tag) ? operation : undefined))
    return Object.keys(own).length === 0 ? undefined : own
  })
  const components = objectAt(document, "components")
  const schemas = objectAt(components, "schemas")
  const used = new Set<string>()
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look)
    if (!isObject(value)) return
    const name = textAt(value, "$ref")?.split("/").at(-1)
    if (name !== undefined && !used.has(name)) {
      used.add(name)
      look(schemas?.[name])
    }
    Object.values(value).forEach(look)
  }
  look(paths)
  return {
    ...document,
    tags: listAt(document, "tags").filter((one) => textAt(one, "name") === tag),
    paths,
    components: { ...components, schemas: keep(schemas, (schema, name) => (used.has(name) ? schema : undefined)) }
  }
}

/** The entries of an object as a function maps them, without those that it maps to undefined. */
const keep = (object: unknown, map: (value: unknown, name: string) => unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(object) ? object : {})
      .map(([name, value]) => [name, map(value, name)] as const)
      .filter(([, value]) => value !== undefined)
  )

const page = (title: string, rest: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(title)}</title>${rest}</html>`

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** A paragraph or list of Markdown. */
const block = (text: string): string =>
  text.startsWith("- ")
    ? `<ul class="text">${text
        .slice(2)
        .split("\n- ")
        .map((item) => `<li>${markUp(item)}</li>`)
        .join("")}</ul>`
    : `<p>${markUp(text)}</p>`

/** Code, bold text and links of Markdown, the rest as it is. */
const markUp = (text: string): string =>
  escape(text)
    .replaceAll(/`([^`]*)`/g, "<code>$1</code>")
    .replaceAll(/\*\*([^*]*)\*\*/g, "<b>$1</b>")
    .replaceAll(/\[([^[\]]*)\]\(([^()\s]*)\)/g, '<a href="$2">$1</a>')

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{margin:0}main{max-width:60rem;margin:2rem auto;padding:0 1rem}
h1 small{font-weight:400;opacity:.6;font-size:1rem}h2{margin:2rem 0 0}p{margin:.4rem 0;max-width:46rem}ul{list-style:none;padding:0;margin:.5rem 0}
.text{list-style:disc;padding-left:1.2rem;max-width:46rem}section li{display:flex;gap:1rem;padding:.15rem 0;flex-wrap:wrap}section li a{flex:0 0 24rem}section li span{flex:1 1 16rem;opacity:.8}a{color:light-dark(#0550ae,#79b8ff)}code{font:13px ui-monospace,monospace}`
