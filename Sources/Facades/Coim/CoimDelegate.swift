public import Foundation

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// The delegate's protocol in the Swift SDK of 2014.
public typealias coimDelegateProtocol = coimDelegate

#if canImport(ObjectiveC)
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Notified of calls on the main thread; every method is optional.
///
/// Objective-C classes need not declare it: what they implement is called, as with the vendor's SDK.
@preconcurrency @MainActor @objc(coimDelegate)
public protocol coimDelegate: NSObjectProtocol {
    /// The server has answered: the body verbatim, before it is read.
    @objc(coimConnection:didReceiveData:)
    optional func coimConnection(_ connection: CoimConnection, didReceiveData data: Data)

    /// There was no answer, or none with status 200, or the call is invalid and was not sent.
    @objc(coimConnection:didFailWithError:)
    optional func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error)

    /// The server has answered; its `errCode` may say that it refuses.
    @objc(coimConnectionDidFinishLoading:withData:)
    optional func coimConnectionDidFinishLoading(
        _ connection: CoimConnection,
        withData responseData: [AnyHashable: Any]
    )

    /// The token is invalid and was deleted; called before the answer itself.
    @objc(coimConnectionInvalidToken:)
    optional func coimConnectionInvalidToken(_ connection: CoimConnection)

    /// How much of an upload was sent, 0 through 100.
    @objc(coimConnection:progress:)
    optional func coimConnection(_ connection: CoimConnection, progress percentage: Float)
}

/// The delegate's protocol of March 2014.
@preconcurrency @MainActor @objc(COIMDelegate)
public protocol COIMDelegate: coimDelegate {
    /// The server has answered; the body was received before.
    @objc(coimConnectionDidFinishLoading:)
    optional func coimConnectionDidFinishLoading(_ connection: CoimConnection)
}

/// Calls what a delegate implements.
@MainActor
enum CoimDelegateCalls {
    static func received(_ data: Data, _ delegate: AnyObject, _ connection: CoimConnection) {
        delegate.coimConnection?(connection, didReceiveData: data)
    }

    static func failed(_ error: NSError, _ delegate: AnyObject, _ connection: CoimConnection) {
        delegate.coimConnection?(connection, didFailWithError: error)
    }

    static func finished(_ answer: [AnyHashable: Any], _ delegate: AnyObject, _ connection: CoimConnection) {
        delegate.coimConnectionDidFinishLoading?(connection, withData: answer)
    }

    static func finished(_ delegate: AnyObject, _ connection: CoimConnection) {
        delegate.coimConnectionDidFinishLoading?(connection)
    }

    static func invalidToken(_ delegate: AnyObject, _ connection: CoimConnection) {
        delegate.coimConnectionInvalidToken?(connection)
    }

    static func progress(_ percentage: Float, _ delegate: AnyObject, _ connection: CoimConnection) {
        delegate.coimConnection?(connection, progress: percentage)
    }
}
#else
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Notified of calls on the main thread; every method is optional.
@preconcurrency @MainActor
public protocol coimDelegate: NSObjectProtocol {
    /// The server has answered: the body verbatim, before it is read.
    func coimConnection(_ connection: CoimConnection, didReceiveData data: Data)

    /// There was no answer, or none with status 200, or the call is invalid and was not sent.
    func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error)

    /// The server has answered; its `errCode` may say that it refuses.
    func coimConnectionDidFinishLoading(_ connection: CoimConnection, withData responseData: [AnyHashable: Any])

    /// The token is invalid and was deleted; called before the answer itself.
    func coimConnectionInvalidToken(_ connection: CoimConnection)

    /// How much of an upload was sent, 0 through 100.
    func coimConnection(_ connection: CoimConnection, progress percentage: Float)
}

extension coimDelegate {
    /// Does nothing.
    public func coimConnection(_ connection: CoimConnection, didReceiveData data: Data) {}

    /// Does nothing.
    public func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error) {}

    /// Does nothing.
    public func coimConnectionDidFinishLoading(
        _ connection: CoimConnection,
        withData responseData: [AnyHashable: Any]
    ) {}

    /// Does nothing.
    public func coimConnectionInvalidToken(_ connection: CoimConnection) {}

    /// Does nothing.
    public func coimConnection(_ connection: CoimConnection, progress percentage: Float) {}
}

/// The delegate's protocol of March 2014.
@preconcurrency @MainActor
public protocol COIMDelegate: coimDelegate {
    /// The server has answered; the body was received before.
    func coimConnectionDidFinishLoading(_ connection: CoimConnection)
}

/// Calls what a delegate implements.
@MainActor
enum CoimDelegateCalls {
    static func received(_ data: Data, _ delegate: AnyObject, _ connection: CoimConnection) {
        (delegate as? any coimDelegate)?.coimConnection(connection, didReceiveData: data)
    }

    static func failed(_ error: NSError, _ delegate: AnyObject, _ connection: CoimConnection) {
        (delegate as? any coimDelegate)?.coimConnection(connection, didFailWithError: error)
    }

    static func finished(_ answer: [AnyHashable: Any], _ delegate: AnyObject, _ connection: CoimConnection) {
        (delegate as? any coimDelegate)?.coimConnectionDidFinishLoading(connection, withData: answer)
    }

    static func finished(_ delegate: AnyObject, _ connection: CoimConnection) {
        (delegate as? any COIMDelegate)?.coimConnectionDidFinishLoading(connection)
    }

    static func invalidToken(_ delegate: AnyObject, _ connection: CoimConnection) {
        (delegate as? any coimDelegate)?.coimConnectionInvalidToken(connection)
    }

    static func progress(_ percentage: Float, _ delegate: AnyObject, _ connection: CoimConnection) {
        (delegate as? any coimDelegate)?.coimConnection(connection, progress: percentage)
    }
}
#endif
