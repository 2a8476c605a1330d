/** An object that the API sent; what its members are is looked at when they are used. */
export type Shape = { readonly [name: string]: unknown }
