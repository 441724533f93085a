import type { GatewaySettings } from "../config/Settings.ts"

/** What text upstreams speak: for each, where it is behind an origin. */
export const basePaths = {
  "anthropic-messages": "",
  "openai-chat": "/v1",
  "openai-responses": "/v1"
}

/** What text upstreams speak. */
export type Dialect = keyof typeof basePaths

const isDialect = (protocol: string): protocol is Dialect => Object.hasOwn(basePaths, protocol)

/** Those that the configured upstreams speak. */
export const dialectsOf = ({ file }: GatewaySettings): ReadonlyArray<Dialect> => {
  const protocols = Object.values(file.value.upstreams ?? {}).map(({ protocol }) => protocol)
  return [...new Set(protocols)].filter(isDialect)
}

/** Whether a process with these settings is to be warmed up: where there is something to call, and nobody says no. */
export const warmsUp = (settings: GatewaySettings): boolean => settings.server.warmUp && dialectsOf(settings).length > 0
