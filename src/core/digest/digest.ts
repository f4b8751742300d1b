// Names for content: same bytes, same name. Nothing else in the house may make a Digest.

import canonicalize from 'canonicalize'
import { sha256Hex } from '#sha256'

declare const digest: unique symbol
/** `sha256:` and 64 hex digits. Never called a ref: a ref is a symbolic name. */
export type Digest = string & { readonly [digest]: true }

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const DIGEST = /^sha256:[0-9a-f]{64}$/
const LENGTH = 'sha256:'.length + 64

export const digestBytes = (bytes: Uint8Array): Digest => `sha256:${sha256Hex(bytes)}` as Digest

/** Over the UTF-8 of the text. */
export const digestText = (text: string): Digest => `sha256:${sha256Hex(text)}` as Digest

/** Over the one canonical spelling of the value, so that key order never matters. */
export const digestJson = (value: Json): Digest => digestText(canonicalJson(value))

/** RFC 8785. Throws on what JSON cannot say: lone surrogates, NaN, Infinity, undefined. */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not a JSON value')
  return text
}

export const isDigest = (text: string): text is Digest => text.length === LENGTH && DIGEST.test(text)
