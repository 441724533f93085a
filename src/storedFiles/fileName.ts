/** Characters of a name. */
const longest = 255

/** A caller's name of a file without its path, and without characters that break a header or hide what follows. */
export const fileName = (given: string | null): string => {
  const [base = ""] = (given ?? "").split(/[/\\]/).slice(-1)
  const name = base.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}<>:"|?*]/gu, "").trim()
  return /^\.*$/.test(name) ? "file" : shortened(name)
}

/** The extension stays: it tells the type of a text. */
const shortened = (name: string): string => {
  const all = Array.from(name)
  if (all.length <= longest) return name
  const [extension = ""] = /\.\w{1,16}$/.exec(name) ?? []
  return all.slice(0, longest - extension.length).join("") + extension
}

/** `content-disposition` of a download (RFC 6266). A browser never shows the file as a page of the gateway. */
export const attachment = (name: string): string => {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, "_")
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
