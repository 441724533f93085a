import { join } from "node:path"
import { pdf } from "../../places/pieces.ts"
import { pixel } from "../../upstreams/conversations.ts"
import type { ProgramName } from "../programs.ts"
import type { Folder } from "../run.ts"
import type { Tools } from "./loops.ts"
import type { Compacting } from "./script.ts"

/** A program, the turns of its loop, and how it is set up by its own defaults. */
export interface Agent extends Compacting {
  readonly program: ProgramName
  /** @param context the gateway's bound of conversations, where it has one: a program is told of it that can be */
  readonly files?: (url: string, context?: number) => Readonly<Record<string, string>>
  readonly args: ReadonlyArray<string>
  readonly env: (url: string, key: string) => Readonly<Record<string, string>>
  readonly tools: (folder: Folder) => Tools
  /** The arguments by which it goes on where its turn ended because the conversation was too long. */
  readonly again?: ReadonlyArray<string>
}

const prompt = "Look at what is in this folder, step by step, and say when you are done."

const described = (name: string) => (command: string) => ({ name, input: { command, description: "looks" } })

const claude: Agent = {
  program: "claude",
  args: ["-p", prompt, "--allowedTools", "Bash,Read,Write,Edit"],
  env: (url, key) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
  }),
  tools: ({ work }) => {
    const read = (path: string) => ({ name: "Read", input: { file_path: join(work, path) } })
    const write = (path: string, content: string) => ({
      name: "Write",
      input: { file_path: join(work, path), content }
    })
    return { shell: described("Bash"), read, write, shown: [read("picture.png"), read("paper.pdf")] }
  },
  summary: /create a detailed summary/,
  fullAt: 990_000
}

const codexConfig = (model: string | undefined) => (url: string, context?: number) => ({
  "home/.codex/config.toml": `${model === undefined ? "" : `model = "${model}"\n`}model_provider = "gateway"
${context === undefined ? "" : `model_context_window = ${context}\n`}
[model_providers.gateway]
name = "Model Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
stream_max_retries = 2
`
})

const codexUsual = {
  program: "codex",
  args: ["exec", prompt, "--skip-git-repo-check"],
  env: (_: string, key: string) => ({ GATEWAY_KEY: key }),
  // Its turn ends where the place refuses its length; it compacts at the next one, or in time by the tokens it is told.
  again: ["exec", "resume", "--last", "Go on.", "--skip-git-repo-check"],
  summary: /CONTEXT CHECKPOINT COMPACTION/,
  fullAt: 265_000
} as const

/** Its newest models have one tool, which runs code that calls all others. */
const code = (input: string) => ({ name: "exec", input: { input } })

const codex: Agent = {
  ...codexUsual,
  files: codexConfig(undefined),
  tools: () => ({
    shell: (cmd) => code(`text((await tools.exec_command({cmd: ${JSON.stringify(cmd)}})).output)`),
    shown: [code("image((await tools.view_image({path: 'picture.png'})).image_url)")]
  })
}

const codexFunctions: Agent = {
  ...codexUsual,
  files: codexConfig("gpt-5.5"),
  tools: () => ({
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    shown: [{ name: "view_image", input: { path: "picture.png" } }]
  })
}

const opencode = (npm: string): Agent => ({
  program: "opencode",
  files: (url) => ({
    "work/opencode.json": JSON.stringify({
      autoupdate: false,
      share: "disabled",
      model: "gateway/house-model",
      small_model: "gateway/house-model",
      provider: {
        gateway: {
          npm,
          options: { baseURL: `${url}/v1`, apiKey: "{env:GATEWAY_KEY}" },
          models: {
            "house-model": {
              attachment: true,
              modalities: { input: ["text", "image", "pdf"], output: ["text"] },
              limit: { context: 100_000, output: 16_000 }
            }
          }
        }
      }
    })
  }),
  args: ["run", prompt],
  env: (_, key) => ({ GATEWAY_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  tools: ({ work }) => {
    const read = (path: string) => ({ name: "read", input: { filePath: join(work, path) } })
    const write = (path: string, content: string) => ({
      name: "write",
      input: { filePath: join(work, path), content }
    })
    return { shell: described("bash"), read, write, shown: [read("picture.png"), read("paper.pdf")] }
  },
  summary: /anchored summary|summariz(?:e|ing) conversations|detailed prompt for continuing/i,
  fullAt: 99_000
})

const pi: Agent = {
  program: "pi",
  files: (url) => ({
    "home/.pi/agent/models.json": JSON.stringify({
      providers: {
        gateway: {
          baseUrl: `${url}/v1`,
          api: "openai-completions",
          apiKey: "$GATEWAY_KEY",
          models: [{ id: "house-model", input: ["text", "image"] }]
        }
      }
    })
  }),
  args: ["--provider", "gateway", "--model", "house-model", "-p", prompt],
  env: (_, key) => ({ GATEWAY_KEY: key }),
  tools: () => {
    const read = (path: string) => ({ name: "read", input: { path } })
    const write = (path: string, content: string) => ({ name: "write", input: { path, content } })
    const shell = (command: string) => ({ name: "bash", input: { command } })
    return { shell, read, write, shown: [read("picture.png")] }
  },
  summary: /context summarization assistant/,
  fullAt: 127_000
}

const copilot: Agent = {
  program: "copilot",
  args: ["-p", prompt, "--allow-all-tools"],
  env: (url, key) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: "house-model"
  }),
  tools: () => ({ shell: described("bash") })
}

/** A loop of ours by a client library, as its documentation has it. */
const library = (program: ProgramName, way: string, shows: ReadonlyArray<string>): Agent => ({
  program,
  args: ["house-model", prompt, way],
  env: (url, key) => ({ GATEWAY_URL: url, GATEWAY_KEY: key, PIXEL: pixel, PDF: pdf }),
  tools: () => ({
    shell: (what) => ({ name: "look", input: { what } }),
    shown: shows.map((name) => ({ name, input: {} }))
  })
})

export const agents: Readonly<Record<string, Agent>> = {
  claude,
  codex,
  "codex:gpt-5.5": codexFunctions,
  anthropic: library("anthropic-loop", "messages", ["show_picture", "show_paper"]),
  "openai:chat": library("openai-loop", "chat", ["show_picture"]),
  "openai:responses": library("openai-loop", "responses", ["show_picture"]),
  "openai-python:chat": library("openai-python-loop", "chat", []),
  "openai-python:responses": library("openai-python-loop", "responses", []),
  "ai:messages": library("ai-loop", "messages", ["show_picture"]),
  "ai:responses": library("ai-loop", "responses", ["show_picture"]),
  "ai:chat": library("ai-loop", "chat", ["show_picture"]),
  "langchain:messages": library("langchain-loop", "messages", []),
  "langchain:responses": library("langchain-loop", "responses", []),
  "langchain:chat": library("langchain-loop", "chat", []),
  "opencode:chat": opencode("@ai-sdk/openai-compatible"),
  "opencode:messages": opencode("@ai-sdk/anthropic"),
  pi,
  copilot
}
