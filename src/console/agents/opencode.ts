import { windowOf } from "../../catalogue/facts/modelFacts.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import type { Caller } from "../../contract/callers/Caller.ts"
import { mayUseServer } from "../../contract/callers/toolRule.ts"
import { forbidden } from "../../contract/callers/permission.ts"

/** The variable that opencode puts its stored key into, and the key as its configuration names it. */
const variable = "MODEL_GATEWAY_KEY"
const key = `{env:${variable}}`

export const opencodeConfigPath = "/oauth/opencode.json"

/**
 * The answer of `GET /.well-known/opencode`: the command that `opencode auth login` runs for a key, and the address of the
 * configuration that opencode loads with it. Names of models are for callers alone, so they don't stand here.
 */
export const opencodeSignIn = (url: string) => ({
  auth: { command: ["gateway", "login", "--key", url], env: variable },
  remote_config: { url: url + opencodeConfigPath, headers: { authorization: `Bearer ${key}` } }
})

/** The text models that the caller may use. The sandbox's come last: they answer when there is nothing else. */
export const usableModels = (caller: Caller, models: Iterable<Model>): ReadonlyArray<Model> => {
  const usable = [...models].filter((model) => model.kind === "text" && forbidden(caller, model) === undefined)
  const isSandbox = ({ routes }: Model) => routes[0]?.upstream === "sandbox"
  return [...usable.filter((model) => !isSandbox(model)), ...usable.filter(isSandbox)]
}

/** A configuration of opencode with the text models that the caller may use. The first one is the default. */
export const opencodeConfig = (url: string, caller: Caller, models: Iterable<Model>) => {
  const usable = usableModels(caller, models)
  const [first] = usable
  return {
    $schema: "https://opencode.ai/config.json",
    provider: {
      gateway: {
        npm: "@ai-sdk/openai-compatible",
        name: "Model Gateway",
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: Object.fromEntries(usable.map((model) => [model.id, { name: model.id, ...limitOf(model) }]))
      }
    },
    ...(first === undefined ? {} : { model: `gateway/${first.id}` })
  }
}

/** The MCP endpoint, if the caller may use a server that the operator has named. */
export const opencodeTools = (url: string, caller: Caller, servers: ReadonlyArray<string>) =>
  servers.some((server) => mayUseServer(caller, server))
    ? { mcp: { gateway: { type: "remote", url: `${url}/mcp`, headers: { authorization: `Bearer ${key}` } } } }
    : {}

/** opencode takes both bounds or none. */
const limitOf = ({ facts }: Model) => {
  const [context, output] = [windowOf(facts), facts.max_output_tokens]
  return context === undefined || output === undefined ? {} : { limit: { context, output } }
}
