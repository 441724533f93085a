/**
 * The URL of a thread's program. In a compiled binary it is an entry point, found by its path below `src`; in the
 * package it is JavaScript like the file that starts it.
 *
 * @param starter the `import.meta.url` of the file that starts it, in the same folder
 * @param path below `src`, without the extension
 */
export const threadFile = (starter: string, path: string): URL =>
  Bun.main.startsWith("/$bunfs/")
    ? new URL(`./${path}.ts`, starter)
    : new URL(`./${path.slice(path.lastIndexOf("/") + 1)}.${starter.endsWith(".js") ? "js" : "ts"}`, starter)
