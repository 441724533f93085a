import { createOpenAI } from "@ai-sdk/openai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { generateText, stepCountIs, streamText } from "ai"
import { framesOf, wholeOf } from "../../agents/upstream/frames.ts"
import { plan } from "../../agents/upstream/plan.ts"
import { request } from "../../request.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"

const translated = ["anthropic-messages", "openai-chat"] as const

/** Each upstream does what it is told: `[[call NAME INPUT]]`. */
const obeying = ({ body, path }: Asked): Response => {
  const name = translated.find((protocol) => dialects[protocol].path === path)!
  const step = plan(name, body)
  const frames = framesOf[name](step, body.model, false)
  if (body.stream !== true) return Response.json(wholeOf[name](frames, step))
  const { end, named } = dialects[name]
  const events = frames.map(
    (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`
  )
  return new Response(events.join("") + end, { headers: { "content-type": "text/event-stream" } })
}

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { answer: obeying } })
})
afterAll(() => world.dispose())

const order = (name: string, input: object) => `[[call ${name} ${JSON.stringify(input)}]]`
const patch = { type: "update_file", path: "a.txt", diff: "@@\n-two\n+TWO" }
const prompt = [
  order("shell", { commands: ["cat a.txt", "pwd"] }),
  order("apply_patch", patch),
  order("local_shell", { command: ["ls", "-l"] })
].join(" then ")

describe.each(translated)("on %s", (protocol) => {
  /** The tools of OpenAI's as the AI SDK has them, which read every event by a closed schema. */
  const run = async (stream: boolean) => {
    const openai = createOpenAI({ baseURL: `${world.gateway.url}/v1`, apiKey: world.gateway.key })
    const ran: Array<unknown> = []
    const ok = { type: "exit", exitCode: 0 } as const
    const tools = {
      shell: openai.tools.shell({
        execute: async ({ action }) => {
          ran.push(action.commands)
          return { output: action.commands.map((command) => ({ stdout: `of ${command}`, stderr: "", outcome: ok })) }
        }
      }),
      apply_patch: openai.tools.applyPatch({
        execute: async ({ operation }) => {
          ran.push(operation)
          return { status: "completed", output: "patched" }
        }
      }),
      local_shell: openai.tools.localShell({
        execute: async ({ action }) => {
          ran.push(action.command)
          return { output: "listed" }
        }
      })
    }
    const options = { model: openai(models[protocol]), prompt, tools, stopWhen: stepCountIs(5), maxRetries: 0 }
    if (!stream) return { ran, text: (await generateText(options)).text }
    const result = streamText({ ...options, onError: ({ error }) => expect.fail(String(error)) })
    return { ran, text: await result.text }
  }

  it.each([false, true])("a program runs OpenAI's tools and gets their results back, streamed: %s", async (stream) => {
    const { ran, text } = await run(stream)
    expect(ran).toEqual([["cat a.txt", "pwd"], patch, ["ls", "-l"]])
    expect(text).toBe("The tool answered: listed")
    const sent = JSON.stringify(world.asked(protocol).body)
    for (const words of ["of cat a.txt", "of pwd", "patched", "+TWO"]) expect(sent).toContain(words)
  })

  it("a call beside a function's stands in the history with its result, and nothing is named", async () => {
    const exit = { type: "exit", exit_code: 0 }
    const tools = [{ type: "shell" }, { type: "function", name: "get_time", parameters: { type: "object" } }]
    const response = await request(world.gateway, "/v1/responses", {
      body: {
        model: models[protocol],
        tools,
        input: [
          { role: "user", content: "List them" },
          { type: "shell_call", call_id: "c1", action: { commands: ["ls"] }, status: "completed" },
          { type: "shell_call_output", call_id: "c1", output: [{ stdout: "4711", stderr: "", outcome: exit }] },
          { type: "function_call", call_id: "c2", name: "get_time", arguments: "{}" },
          { type: "function_call_output", call_id: "c2", output: "noon" }
        ]
      }
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-adapted") ?? "").not.toMatch(/tools|input/)
    const sent = JSON.stringify(world.asked(protocol).body)
    expect([sent.includes("4711"), sent.includes("noon"), sent.includes("commands")]).toEqual([true, true, true])
  })
})
