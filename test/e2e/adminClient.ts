export const adminKey = "admin-key-0123456789abcdefghijklmnop"
export const endpoints: Array<readonly [name: string, method: string, path: string]> = []

export const send = (url: string, method: string, path: string, headers: Record<string, string>, body?: string) =>
  fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
