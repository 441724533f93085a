import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spoken } from "../../../upstreams/fakes/scenarios.ts"
import { command, listening } from "./servers.ts"
import type { Server } from "./servers.ts"
import { freePort } from "../../../freePort.ts"

const version = "1.106.2"

/** Mocked answers of its models. */
const mocked: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  text: { mock_response: spoken.text },
  usage: { mock_response: spoken.text },
  image: { mock_response: spoken.text },
  document: { mock_response: spoken.text },
  json: { mock_response: spoken.json },
  "error-before": { mock_response: "litellm.ContextWindowExceededError" }
}

/** Its `/v1/responses` knows the mocks of whole answers alone: a stream is a 500 of its own, and an error a text. */
const plays: Server["plays"] = (protocol, stream) => {
  const all = Object.keys(mocked)
  if (protocol !== "openai-responses") return all
  return stream ? [] : all.filter((name) => name !== "error-before")
}

/** Takes minutes to make, and so is kept. */
const venv = join(import.meta.dirname, `../../../../node_modules/.cache/litellm-${version}`)

/** LiteLLM's proxy, installed from PyPI (python3 with venv must be there). */
export const withLiteLlm = async (use: (server: Server, title: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "litellm-"))
  if (!existsSync(venv)) {
    await command(["python3", "-m", "venv", venv], folder)
    await command([join(venv, "bin/pip"), "install", "--quiet", `litellm[proxy]==${version}`], folder)
  }
  const model_list = Object.entries(mocked).map(([model_name, mock]) => ({
    model_name,
    litellm_params: { model: "openai/gpt-4o", api_key: "none", ...mock }
  }))
  writeFileSync(
    join(folder, "config.yaml"),
    JSON.stringify({ model_list, general_settings: { master_key: "sk-local" } })
  )
  const port = freePort()
  const at = ["--config", "config.yaml", "--port", String(port), "--host", "127.0.0.1"]
  const args = [join(venv, "bin/python"), join(venv, "bin/litellm"), ...at]
  const child = Bun.spawn(args, {
    cwd: folder,
    stdout: "ignore",
    stderr: "ignore",
    // It would fetch prices from the network, with retries.
    env: { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: "True" }
  })
  try {
    const url = `http://127.0.0.1:${port}`
    await listening(`${url}/health/liveliness`, child)
    await use({ baseUrl: `${url}/v1`, apiKey: "sk-local", plays }, `LiteLLM ${version}`)
  } finally {
    child.kill()
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
}
