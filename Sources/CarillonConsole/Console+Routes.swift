extension Console {
    /// Declares all routes: a page's own file declares its own.
    static func declareRoutes(_ configuration: Configuration) -> ConsoleRoutes {
        var routes = ConsoleRoutes()
        Login.declare(&routes)
        Code.declare(&routes)
        Again.declare(&routes)
        Link.declare(&routes)
        ProviderPages.declare(&routes)
        configuration.oneTimeSessions?.declare(&routes)
        SecondFactor.declare(&routes)
        Home.declare(&routes)
        // Before the pages of an App, whose id is in the same place.
        NewAppPage.declare(&routes)
        SettingsPages.declare(&routes)
        AppPages.declare(&routes)
        PhonePage.declare(&routes, waitingFor: configuration.answerTime)
        PeopleActions.declare(&routes)
        StatisticsKeyPages.declare(&routes)
        Surveys.declare(&routes)
        if let content = configuration.content { ContentSetPages(content: content).declare(&routes) }
        ServerPages.declare(&routes, configuration.report)
        PausePages.declare(&routes)
        SearchPage.declare(&routes)
        ReviewConfirmation.declare(&routes)
        ApprovalPage.declare(&routes)
        Account.declare(&routes)
        Stay.declare(&routes)
        OperatorPages.declare(&routes)
        ContentPages.declare(&routes)
        AudiencePages.declare(&routes)
        TagPages.declare(&routes)
        Composer.declare(&routes)
        return routes
    }
}
