import { join } from "node:path"
import { pagesOfText } from "../../guard/bodies/pdfs.ts"
import { pixel } from "../../upstreams/conversations.ts"
import type { ProgramName } from "../programs.ts"
import type { Folder } from "../run.ts"
import type { Tools } from "./loops.ts"
import type { Compacting } from "./script.ts"

/** A gateway with a model, as a program's settings have it. */
export interface Setup {
  readonly url: string
  readonly key: string
  /** The gateway's bound of conversations, where it has one: a program is told of it that can be. */
  readonly context?: number
  /** False if the model reads texts alone: a program is told, or shows nothing. */
  readonly readsImages: boolean
}

/** A program, the turns of its loop, and how it is set up by its own defaults. */
export interface Agent extends Compacting {
  readonly program: ProgramName
  readonly files?: (setup: Setup) => Readonly<Record<string, string>>
  readonly args: ReadonlyArray<string>
  readonly env: (setup: Setup) => Readonly<Record<string, string>>
  readonly tools: (folder: Folder) => Tools
  /** True if its loop has to be long, or there is nothing to compact. */
  readonly isLong?: boolean
  /** False if it ends where a place refuses its length, and compacts, if at all, before. */
  readonly overflows?: boolean
  /** The arguments by which it goes on where its turn ended because the conversation was too long. */
  readonly again?: ReadonlyArray<string>
}

/** A PDF with a text, which servers get that take no PDFs. */
export const paper = Buffer.from(pagesOfText(["The paper says 4711."]))

const prompt = "Look at what is in this folder, step by step, and say when you are done."

const described = (name: string) => (command: string) => ({ name, input: { command, description: "looks" } })

const claude: Agent = {
  program: "claude",
  args: ["-p", prompt, "--allowedTools", "Bash,Read,Write,Edit"],
  env: ({ key, url }) => ({
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

const codexConfig =
  (model: string | undefined) =>
  ({ context, url }: Setup) => ({
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
  env: ({ key }: Setup) => ({ GATEWAY_KEY: key }),
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
  files: ({ readsImages, url }) => ({
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
              attachment: readsImages,
              modalities: { input: readsImages ? ["text", "image", "pdf"] : ["text"], output: ["text"] },
              limit: { context: 100_000, output: 16_000 }
            }
          }
        }
      }
    })
  }),
  args: ["run", prompt],
  env: ({ key }) => ({ GATEWAY_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: "1" }),
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
  files: ({ readsImages, url }) => ({
    "home/.pi/agent/models.json": JSON.stringify({
      providers: {
        gateway: {
          baseUrl: `${url}/v1`,
          api: "openai-completions",
          apiKey: "$GATEWAY_KEY",
          models: [{ id: "house-model", input: readsImages ? ["text", "image"] : ["text"] }]
        }
      }
    })
  }),
  args: ["--provider", "gateway", "--model", "house-model", "-p", prompt],
  env: ({ key }) => ({ GATEWAY_KEY: key }),
  tools: () => {
    const read = (path: string) => ({ name: "read", input: { path } })
    const write = (path: string, content: string) => ({ name: "write", input: { path, content } })
    const shell = (command: string) => ({ name: "bash", input: { command } })
    return { shell, read, write, shown: [read("picture.png")] }
  },
  summary: /context summarization assistant/,
  fullAt: 127_000,
  // It keeps the last 20,000 tokens, and compacts nothing where there are no more.
  isLong: true
}

const copilot: Agent = {
  program: "copilot",
  args: ["-p", prompt, "--allow-all-tools"],
  env: ({ key, url }) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: "house-model"
  }),
  tools: () => ({ shell: described("bash") })
}

/** A loop of ours by a client library, as its documentation has it, with the model's name that the client knows. */
const library = (program: ProgramName, way: keyof typeof libraryModels, shows: ReadonlyArray<string>): Agent => ({
  program,
  args: [libraryModels[way], prompt, way],
  env: ({ key, readsImages, url }) => ({
    GATEWAY_URL: url,
    GATEWAY_KEY: key,
    PIXEL: pixel,
    PDF: paper.toString("base64"),
    // A user's message with files is refused where the model reads none; those of results are left out.
    READS_IMAGES: readsImages ? "yes" : ""
  }),
  tools: () => ({
    shell: (what) => ({ name: "look", input: { what } }),
    shown: shows.map((name) => ({ name, input: {} }))
  }),
  overflows: false
})

const libraryModels = { messages: "claude-opus-5-5", responses: "gpt-5.5", chat: "house-model" } as const

const files = ["show_picture", "show_paper"]

const langchain = (way: keyof typeof libraryModels): Agent => ({
  ...library("langchain-loop", way, []),
  summary: /Context Extraction Assistant/
})

export const agents: Readonly<Record<string, Agent>> = {
  claude,
  codex,
  "codex:gpt-5.5": codexFunctions,
  "opencode:chat": opencode("@ai-sdk/openai-compatible"),
  "opencode:messages": opencode("@ai-sdk/anthropic"),
  pi,
  copilot,
  anthropic: library("anthropic-loop", "messages", files),
  "anthropic-python": library("anthropic-python-loop", "messages", files),
  "openai:chat": library("openai-loop", "chat", files),
  // The client asks for the compaction, which the place makes, or the model by the gateway's words.
  "openai:responses": {
    ...library("openai-loop", "responses", files),
    summary: /given a conversation between a user and an assistant/
  },
  "openai-python:chat": library("openai-python-loop", "chat", []),
  "openai-python:responses": library("openai-python-loop", "responses", []),
  "ai:messages": library("ai-loop", "messages", files),
  "ai:responses": library("ai-loop", "responses", files),
  "ai:chat": library("ai-loop", "chat", []),
  "langchain:messages": langchain("messages"),
  "langchain:responses": langchain("responses"),
  "langchain:chat": langchain("chat")
}
