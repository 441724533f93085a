import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import { protocols } from "./world.ts"
import { asResponses, patch } from "./agentRequests.ts"

/** `play:patch` and `play:namespaced`: the agent's own tools are called, by the names that the upstream was told. */
export const callingTools = ({ path, body }: Asked): Response | undefined => {
  const played = [...JSON.stringify(body).matchAll(/play:([a-z-]+)/g)].at(-1)?.[1]
  if (played !== "patch" && played !== "namespaced") return undefined
  const protocol = protocols.find((name) => dialects[name].path === path)!
  const dialect = dialects[protocol]
  const isCustom = played === "patch"
  const native = protocol === "openai-responses"
  const name = isCustom ? "apply_patch" : native ? "list_events" : "mcp__calendar__list_events"
  const input = JSON.stringify(isCustom ? { input: patch } : { day: "today" })
  const text = (json: unknown): unknown => {
    const renamed = JSON.parse(JSON.stringify(json).replaceAll('"get_weather"', JSON.stringify(name)))
    return native ? asResponses(renamed, isCustom) : renamed
  }
  if (body.stream !== true) {
    const whole = JSON.stringify(text(dialect.answer("tools", body.model, 5)))
    return new Response(
      protocol === "anthropic-messages"
        ? whole.replace('{"city":"Paris"}', input)
        : whole.replace(JSON.stringify('{"city":"Paris"}'), JSON.stringify(native && isCustom ? patch : input)),
      { headers: { "content-type": "application/json" } }
    )
  }
  const frames = dialect.frames("tools", body.model, 5).map((frame) => text(frame))
  let told = false
  const events = frames.map((frame) => {
    const { type } = frame as { type?: string }
    const json = JSON.stringify(frame)
      .replaceAll(JSON.stringify('{"city":"Paris"}'), JSON.stringify(native && isCustom ? patch : input))
      // The pieces of the arguments: the first holds all of it.
      .replace(/("(?:partial_json|arguments|delta)":)("(?:[^"\\]|\\.)*")/g, (all, key: string, value: string) => {
        if (value === '""' || /Begin Patch|today|input/.test(value)) return all
        const piece = told ? "" : native && isCustom ? patch : input
        told = true
        return key + JSON.stringify(piece)
      })
    return `${dialect.named ? `event: ${type}\n` : ""}data: ${json}\n\n`
  })
  return new Response(events.join("") + dialect.end, { headers: { "content-type": "text/event-stream" } })
}
