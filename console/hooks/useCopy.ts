import { createContext } from "preact"
import { useContext } from "preact/hooks"

export const CopyContext = createContext<(text: string) => void>(() => {})

/** Copies a text and says so. */
export const useCopy = (): ((text: string) => void) => useContext(CopyContext)
