import { Schema } from "effect"
import { secretOf } from "../SecretFiles.ts"

export const proxyUrls = "expected http://<host>:<port> or https://…, which may hold a user and a password"

export const isProxyUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "" && url.hash === ""
}

/** An address of a proxy, or `off`. */
export const ProxySetting = secretOf(
  Schema.String.pipe(
    Schema.filter((text) => text === "off" || isProxyUrl(text), { message: () => `${proxyUrls}, or off` })
  )
)
export type ProxySetting = typeof ProxySetting.Type
