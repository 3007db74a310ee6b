extension Console {
    /// Declares all routes: a page's own file declares its own.
    static func declareRoutes(_ configuration: Configuration) -> ConsoleRoutes {
        var routes = ConsoleRoutes()
        Login.declare(&routes)
        Code.declare(&routes)
        Again.declare(&routes)
        Link.declare(&routes)
        SecondFactor.declare(&routes)
        Home.declare(&routes)
        AppPages.declare(&routes)
        ServerPages.declare(&routes, configuration.report)
        Account.declare(&routes)
        OperatorPages.declare(&routes)
        return routes
    }
}
