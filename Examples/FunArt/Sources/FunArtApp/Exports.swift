// In Carillon's own tests the module has another name. An app of your own imports FunArt in the files that use it.
#if canImport(SampledFunArt)
@_exported public import SampledFunArt
#else
@_exported public import FunArt
#endif
