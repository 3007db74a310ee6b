// All stores of the engine throw it.
@_exported public import StoreErrors
