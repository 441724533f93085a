import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { specOf } from "./openapi.ts"

/**
 * A contract's `llms.txt` (https://llmstxt.org): links to its documents and one line for each endpoint.
 * @param below path prefix of the documents
 */
export const endpointList = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  below: string
): string => {
  const { info, paths, tags } = specOf(api)
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary = "", tags: groups }]) => ({ path, method, summary, groups }))
  )
  const groups = tags.map(({ description = "", name }) => {
    const own = endpoints.filter((one) => one.groups.includes(name))
    const lines = own.map(({ method, path, summary }) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`)
    return `## ${name}\n\n${description}\n\n${lines.join("\n")}`
  })
  const [first = info.title, ...further] = (info.description ?? "").trim().split("\n\n")
  const quoted = `> ${first.replaceAll("\n", " ")}`
  return `${[`# ${info.title}`, quoted, ...further, documents(below), ...groups].join("\n\n")}\n`
}

const documents = (below: string) =>
  `Every field, with its bounds, is in [the OpenAPI document](${below}/openapi.json); [the page](${below}/docs) shows the same to people.`
