const meta = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')

/** The path of the gateway's public URL, which a proxy takes off: `/gw`; an empty text without one. */
export const basePath: string = meta?.content ?? ""

/** The gateway's address, as this browser reaches it. */
export const gatewayUrl: string = location.origin + basePath
