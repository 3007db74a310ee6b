// Every store of the engine's throws it.
@_exported public import StoreErrors
