import { existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs"
import { join, resolve } from "node:path"
import { azureKey, entraToken } from "../upstreams/fakes/azure.ts"
import { bedrockKeys } from "../upstreams/fakes/bedrock.ts"
import { spoken } from "../upstreams/fakes/scenarios.ts"
import { startGateway } from "../gatewayHere.ts"
import { startCloud } from "../upstreams/fakes/startCloud.ts"
import { vertexToken } from "../upstreams/fakes/vertexClaude.ts"

/*
 * The providers' own libraries of PyPI take the fakes of their places for their servers: boto3, google-genai, anthropic
 * and openai. Then openai, anthropic, LangChain and LiteLLM use a gateway's sandbox. Needs python3, and the network for
 * the installation.
 */
const packages = [
  "boto3==1.44.8",
  "google-genai==3.6.1",
  "anthropic[bedrock,vertex]==2.14.0",
  "openai==3.57.0",
  "litellm==1.108.7",
  "langchain-openai==1.7.4",
  "langchain-anthropic==1.7.10"
]
const cache = resolve(import.meta.dirname, "../../node_modules/.cache/sdks")
const folder = join(cache, packages.join("-").replaceAll(/[^\w.=-]/g, "_"))
const python = join(folder, "venv/bin/python")

const run = async (command: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<number> =>
  Bun.spawn([...command], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "", HOME: cache, ...env }
  }).exited

if (!existsSync(folder)) {
  mkdirSync(cache, { recursive: true })
  const making = mkdtempSync(join(cache, "making-"))
  const made = await run(["python3", "-m", "venv", "--copies", join(making, "venv")])
  const pip = [join(making, "venv/bin/python"), "-m", "pip", "install", "--quiet", ...packages]
  // Mirrors of PyPI are named in pip's own settings.
  if (made !== 0 || (await run(pip, { HOME: process.env["HOME"] ?? cache })) !== 0) process.exit(1)
  renameSync(making, folder)
}

const names = ["bedrock", "azure", "vertex", "gemini"] as const
const fakes = await Promise.all(names.map((name) => startCloud(name)))
const gateway = await startGateway()
try {
  const urls = Object.fromEntries(fakes.map(({ url }, at) => [names[at]?.toUpperCase() ?? "", url]))
  const clouds = await run([python, join(import.meta.dirname, "clouds.py")], {
    ...urls,
    AWS_KEY: bedrockKeys.accessKeyId,
    AWS_SECRET: bedrockKeys.secretAccessKey,
    AZURE_KEY: azureKey,
    ENTRA_TOKEN: entraToken,
    VERTEX_TOKEN: vertexToken,
    SPOKEN_TEXT: spoken.text,
    SPOKEN_THOUGHT: spoken.thought,
    SPOKEN_CITY: spoken.city,
    PYTHONDONTWRITEBYTECODE: "1",
    NO_PROXY: "127.0.0.1"
  })
  const sandbox = await run([python, join(import.meta.dirname, "sandbox.py")], {
    GATEWAY: gateway.url,
    GATEWAY_KEY: gateway.key,
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    PYTHONDONTWRITEBYTECODE: "1",
    NO_PROXY: "127.0.0.1"
  })
  process.exitCode = Math.max(clouds, sandbox)
} finally {
  await gateway.dispose()
  await Promise.all(fakes.map((fake) => fake.stop()))
}
