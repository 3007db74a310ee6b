/// What libFuzzer calls with each input: one run of the property tests' model.
///
/// It ends the process where the connection is in the wrong, which is how a fuzzer is told.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConnection(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let wrong = ModelRun.wrong(in: UnsafeBufferPointer(start: start, count: count)) { fatalError(wrong) }
    return 0
}
