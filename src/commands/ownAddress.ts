import { Option } from "effect"
import type { GatewaySettings } from "../config/Settings.ts"

/** The address of the gateway that serves on this machine. */
export const ownAddress = ({ host, port, tls }: GatewaySettings["server"]): string => {
  const named = /^(0\.0\.0\.0|::|\[::\])$/.test(host) ? "127.0.0.1" : host
  return `${Option.isSome(tls) ? "https" : "http"}://${named}:${port}`
}
