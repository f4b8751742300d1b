// How often a property is tried.

/** Set by the project `properties` of `npm run test:deep`. */
const ALL = process.env.ONBOOK_PROPERTIES === 'all'

/** All of them in `npm run test:deep`; a fifth in `npm test`, for properties that take seconds. */
export const runs = (all: number): number => (ALL ? all : Math.ceil(all / 5))
