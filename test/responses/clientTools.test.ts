import { describe, expect, it } from "@effect/vitest"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { framesOf } from "../../src/responses/replay.ts"
import { unsupportedParts } from "../../src/responses/unsupportedParts.ts"
import { encodingOf, run } from "./encoding.ts"
import { conversation, entries, refusal, toolbox } from "./request.ts"
import { read } from "./strictClient.ts"

const f = { type: "function", name: "f" }
const container = { type: "shell", environment: { type: "container_auto" } }
const computers = ["computer", "computer_use", "computer_use_preview", "computer-preview"]
const types = ["shell", "local_shell", "apply_patch", ...computers]
const png = "data:image/png;base64,iVBORw0KGgo="

/** The events of one call, its arguments in two pieces. */
const calling = (name: string, args: object, isCut = false): ReadonlyArray<GenerationEvent> => {
  const text = JSON.stringify(args)
  return [
    { type: "tool-call-start", callId: "c1", name, kind: "function" },
    { type: "tool-call-delta", callId: "c1", text: text.slice(0, 9) },
    ...(isCut ? [] : ([{ type: "tool-call-delta", callId: "c1", text: text.slice(9) }] as const)),
    ...(isCut ? [] : ([{ type: "tool-call-end", callId: "c1" }] as const)),
    { type: "finished", reason: isCut ? "max-tokens" : "tool-calls", stopSequence: null }
  ]
}

const answer = (type: string, args: object, isCut = false) => {
  const request = { model: "m", input: "hi", tools: [{ type }] } as Parameters<typeof encodingOf>[0]
  const name = toolbox({ tools: [{ type }] }).tools[0]?.name ?? ""
  return run(calling(name, args, isCut), encodingOf(request))
}

describe("tools that the caller runs", () => {
  it.each(types)("%s is a function, chosen by its type, and told back", (type) => {
    const { choice, tools } = toolbox({ tools: [{ type }], tool_choice: { type } })
    expect(tools).toMatchObject([
      { type: "function", description: expect.any(String), parameters: { type: "object", required: expect.any(Array) } }
    ])
    expect(choice).toEqual({ type: "tool", name: tools[0]?.name })
    expect(toolbox({ tools: [{ type }, f] }).tools.map(({ name }) => name)).toEqual(["f", tools[0]?.name])
    const allowed = { type: "allowed_tools", mode: "auto", tools: [{ type }] }
    expect(toolbox({ tools: [{ type }, f], tool_choice: allowed }).tools).toEqual(tools)
    expect(entries({ tools: [{ type }] })).toEqual([{ type }])
  })

  it.each(types)("%s alone is refused nowhere", (type) => {
    const request = { model: "m", input: "hi", tools: [{ type }], tool_choice: { type } }
    expect(unsupportedParts(request as Parameters<typeof unsupportedParts>[0], request)).toEqual([])
  })

  it("leave the names of the caller's own functions to them", () => {
    const own = { ...f, name: "shell" }
    const { choice, clientTools, tools } = toolbox({ tools: [{ type: "shell" }, own], tool_choice: { type: "shell" } })
    expect(tools.map(({ name }) => name)).toEqual(["shell", "shell_"])
    expect(choice).toEqual({ type: "tool", name: "shell_" })
    expect([...clientTools.keys()]).toEqual(["shell_"])
    const call = { type: "shell_call", call_id: "c", action: { commands: ["ls"] } }
    const output = { type: "shell_call_output", call_id: "c", output: [] }
    const input = [call, output]
    expect(conversation({ tools: [{ type: "shell" }, own], input }).items[0]).toMatchObject({ name: "shell_" })
  })

  it("tell the model what the caller told of its place", () => {
    const skill = { name: "csv", path: "/skills/csv", description: "Reads CSV" }
    const shell = { type: "shell", environment: { type: "local", skills: [skill] } }
    const screen = { type: "computer_use_preview", display_width: 1024, display_height: 768, environment: "browser" }
    const said = toolbox({ tools: [shell, screen] }).tools.map((tool) => "description" in tool && tool.description)
    expect(said).toEqual([
      expect.stringContaining("- csv (/skills/csv): Reads CSV"),
      expect.stringContaining("1024 × 768")
    ])
  })

  it("are none of those with a container of OpenAI's", () => {
    expect(toolbox({ tools: [container, f] }).tools.map(({ name }) => name)).toEqual(["f"])
    const request = { model: "m", input: "hi", tools: [container] }
    expect(unsupportedParts(request as Parameters<typeof unsupportedParts>[0], request)).toMatchObject([
      { param: "tools.shell" },
      { param: "tools", refusal: expect.stringContaining("runs none of them (shell)") }
    ])
  })
})

/** Each call: its type of tool, the model's arguments, and the caller's fields. */
const calls: ReadonlyArray<readonly [type: string, args: object, item: { readonly type: string }]> = [
  [
    "shell",
    { commands: ["ls", "pwd"], timeout_ms: 5 },
    {
      type: "shell_call",
      action: { commands: ["ls", "pwd"], timeout_ms: 5, max_output_length: null },
      environment: { type: "local" }
    } as { type: string }
  ],
  [
    "local_shell",
    { command: ["ls", "-l"], working_directory: "/tmp", env: { A: "1" } },
    {
      type: "local_shell_call",
      action: { type: "exec", command: ["ls", "-l"], env: { A: "1" }, working_directory: "/tmp" }
    } as { type: string }
  ],
  [
    "apply_patch",
    { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" },
    { type: "apply_patch_call", operation: { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" } } as {
      type: string
    }
  ],
  [
    "apply_patch",
    { type: "delete_file", path: "a.txt" },
    { type: "apply_patch_call", operation: { type: "delete_file", path: "a.txt" } } as { type: string }
  ],
  [
    "computer",
    { actions: [{ type: "click", x: 1, y: 2, button: "left" }, { type: "wait" }] },
    {
      type: "computer_call",
      actions: [{ type: "click", x: 1, y: 2, button: "left" }, { type: "wait" }],
      pending_safety_checks: []
    } as { type: string }
  ],
  [
    "computer_use_preview",
    { action: { type: "screenshot" } },
    { type: "computer_call", action: { type: "screenshot" }, pending_safety_checks: [] } as { type: string }
  ]
]

describe.each(calls)("a call of %s", (type, args, item) => {
  const { frames, state } = answer(type, args)
  const whole = { ...item, id: expect.any(String), call_id: "c1", status: "completed" }

  it("is an item of its own, whole and streamed", () => {
    expect(state.response.output).toEqual([whole])
    expect(frames.filter((frame) => frame.type === "response.output_item.done")).toMatchObject([{ item: whole }])
    const added = frames.find((frame) => frame.type === "response.output_item.added")
    expect(added).toMatchObject({ item: { type: item.type, status: "in_progress", call_id: "c1" } })
    expect(read(frames)).toEqual(state.response)
  })

  it("is read again as a stream with the same end", () => {
    const stored = {
      response: state.response,
      output: state.output.toArray(),
      input: [],
      include: { searchSources: true, encryptedReasoning: false }
    }
    expect(read(framesOf(stored, stored.include)).output).toEqual(state.response.output)
  })

  it("is the model's call again in the next request", () => {
    const outputs: Record<string, object> = {
      shell_call: { type: "shell_call_output", output: [] },
      local_shell_call: { type: "local_shell_call_output", output: "{}" },
      apply_patch_call: { type: "apply_patch_call_output", status: "completed" },
      computer_call: { type: "computer_call_output", output: { type: "computer_screenshot", image_url: png } }
    }
    const output = { call_id: "c1", ...outputs[item.type] }
    const { items } = conversation({ tools: [{ type }], input: [...state.response.output, output] })
    expect(items).toMatchObject([
      { type: "tool-call", callId: "c1", name: toolbox({ tools: [{ type }] }).tools[0]?.name, kind: "function" },
      { type: "tool-result", callId: "c1" }
    ])
    const [call] = items
    expect(call?.type === "tool-call" && JSON.parse(call.arguments)).toMatchObject(args)
  })
})

it("the events of commands and diffs are those of the dialect", () => {
  const events = (type: string, args: object) =>
    answer(type, args).frames.flatMap((frame) =>
      /shell_call_command|operation_diff|output_item/.test(frame.type) ? [frame] : []
    )
  const where = { output_index: 0, command_index: 0 }
  expect(events("shell", { commands: ["ls"] })).toMatchObject([
    { type: "response.output_item.added", item: { action: { commands: [] } } },
    { type: "response.shell_call_command.added", ...where, command: "" },
    { type: "response.shell_call_command.delta", ...where, delta: "ls" },
    { type: "response.shell_call_command.done", ...where, command: "ls" },
    { type: "response.output_item.done" }
  ])
  const diff = "+a"
  expect(events("apply_patch", { type: "create_file", path: "a", diff })).toMatchObject([
    { type: "response.output_item.added", item: { operation: { type: "create_file", path: "a", diff: "" } } },
    { type: "response.apply_patch_call_operation_diff.delta", output_index: 0, item_id: "apc_1", delta: diff },
    { type: "response.apply_patch_call_operation_diff.done", output_index: 0, item_id: "apc_1", diff },
    { type: "response.output_item.done" }
  ])
})

describe("a call that was cut", () => {
  it.each([
    ["shell", { commands: ["rm -r x"] }],
    ["local_shell", { command: ["rm", "-r", "x"] }],
    ["computer", { actions: [{ type: "wait" }] }]
  ])("of %s has nothing to run", (type, args) => {
    const { frames, state } = answer(type, args, true)
    expect(state.response).toMatchObject({ status: "incomplete", output: [{ status: "incomplete" }] })
    expect(JSON.stringify(state.response.output)).not.toMatch(/rm|wait/)
    expect(read(frames)).toEqual(state.response)
  })

  it("of apply_patch is no item", () => {
    const { frames, state } = answer("apply_patch", { type: "delete_file", path: "a" }, true)
    expect([state.response.status, state.response.output]).toEqual(["incomplete", []])
    expect(frames.filter(({ type }) => type.includes("output_item"))).toEqual([])
  })
})

describe("arguments that are not as described", () => {
  const output = (type: string, args: object) => answer(type, args).state.response.output[0]

  it("are read where they are plain", () => {
    expect(output("shell", { command: "ls" })).toMatchObject({ action: { commands: ["ls"] } })
    expect(output("local_shell", { command: "ls | wc" })).toMatchObject({
      action: { command: ["bash", "-lc", "ls | wc"] }
    })
    expect(output("apply_patch", { operation: { type: "delete_file", path: "a" } })).toMatchObject({
      operation: { type: "delete_file", path: "a" }
    })
    expect(output("computer", { actions: [{ type: "click", x: 1, y: 1 }] })).toMatchObject({
      actions: [{ type: "click", button: "left", x: 1, y: 1 }]
    })
  })

  it("create and delete nothing by mistake", () => {
    expect(output("apply_patch", { path: "a" })).toMatchObject({ operation: { type: "update_file", diff: "" } })
    expect(output("apply_patch", {})).toMatchObject({ operation: { type: "update_file", path: "", diff: "" } })
  })
})

describe("a result", () => {
  const call = (type: string, rest: object) => ({ type, call_id: "c", ...rest })
  const of = (called: object, output: object) => conversation({ input: [called, output] }).items[1]

  it("of commands has their output, errors and codes", () => {
    const shell = call("shell_call", { action: { commands: ["a", "b"] } })
    const outcome = { type: "exit", exit_code: 1 }
    const output = [
      { stdout: "out\n", stderr: "bad\n", outcome },
      { stdout: "", stderr: "", outcome: { type: "timeout" } }
    ]
    expect(of(shell, call("shell_call_output", { output }))).toMatchObject({
      type: "tool-result",
      content: [{ type: "text", text: "out\nstderr:\nbad\nExit code: 1\n\nTimed out." }]
    })
  })

  it("of a local command has its call's id under either name", () => {
    const shell = call("local_shell_call", { action: { type: "exec", command: ["a"], env: {} } })
    for (const id of [{ id: "c" }, { id: "lsho_1", call_id: "c" }]) {
      expect(of(shell, { type: "local_shell_call_output", ...id, output: "x" })).toMatchObject({
        callId: "c",
        content: [{ text: "x" }]
      })
    }
  })

  it.each([
    ["completed", null, "Done.", false],
    ["failed", null, "Failed.", true],
    ["failed", "Invalid Context", "Invalid Context", true]
  ])("of a patch that %s with %j says so", (status, output, text, isError) => {
    const patch = call("apply_patch_call", { operation: { type: "delete_file", path: "a" } })
    expect(of(patch, call("apply_patch_call_output", { status, output }))).toMatchObject({
      content: [{ text }],
      isError
    })
  })

  it("of a computer is its screenshot", () => {
    const used = call("computer_call", { actions: [{ type: "screenshot" }] })
    const shown = call("computer_call_output", { output: { type: "computer_screenshot", image_url: png } })
    expect(of(used, shown)).toMatchObject({
      content: [{ type: "image", source: { type: "base64", mediaType: "image/png" } }]
    })
    const broken = call("computer_call_output", { output: { type: "computer_screenshot", image_url: "nowhere" } })
    expect(refusal({ input: [used, broken] }).param).toBe("input[1].output.image_url")
  })

  it("needs its call, and a call its result", () => {
    const shell = call("shell_call", { action: { commands: ["a"] } })
    expect(refusal({ input: [shell] }).message).toBe("No tool output found for function call c.")
    expect(refusal({ input: [call("shell_call_output", { output: [] })] }).message).toContain("No tool call found")
  })
})
